"""The protocol: generated files are up to date, golden messages decode, stored summaries survive added fields."""

import json
import re
import sys
from pathlib import Path

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

import protocol as generator
from tablee.protocol.messages import ClientMessage, ServerMessage, encode
from tablee.protocol.stored import StoredResult, StoredSeat, StoredSummary, decode_summary, encode_summary
from tablee.server.problems import CONFLICT, STATUSES
from tablee.tables import commands

GOLDEN = list(generator.golden_files())


def test_generated_files_are_up_to_date():
    for path, text in generator.outputs():
        assert path.read_text(encoding="utf-8") == text, f"{path} is out of date: run `make protocol`"


def test_no_golden_file_is_left_over():
    assert set(generator.GOLDEN.rglob("*.json")) == {path for path, _, _ in GOLDEN}


@pytest.mark.parametrize(
    ("path", "kind"), [(path, kind) for path, _, kind in GOLDEN], ids=lambda each: getattr(each, "stem", "")
)
def test_golden_messages_decode_to_what_was_encoded(path, kind):
    union = {"client": ClientMessage, "server": ServerMessage}.get(path.parent.name, kind)
    message = msgspec.json.decode(path.read_bytes(), type=union)
    assert isinstance(message, kind)
    assert json.loads(encode(message)) == json.loads(path.read_text(encoding="utf-8"))


def test_messages_and_commands_have_different_names():
    theirs = {kind.__name__ for kind in (*generator.CLIENT, *generator.SERVER)}
    assert theirs.isdisjoint(vars(commands))


def test_stored_summaries_decode_with_added_and_missing_fields():
    summary = StoredSummary((StoredSeat(0, "person", "Ana"),), ("p1",), 0, StoredResult(2.0, (3, 4), (1, 2)))
    assert decode_summary(encode_summary(summary)) == summary
    stored = json.loads(encode_summary(summary))
    assert stored["result"]["places"] == [1, 2]  # the name on disk
    assert decode_summary("{}") == StoredSummary()
    stored["added"] = stored["result"]["added"] = stored["seats"][0]["added"] = [1]
    assert decode_summary(json.dumps(stored)) == summary
    for gone in ("on_turn", "result"):
        del stored[gone]
    assert decode_summary(json.dumps(stored)) == StoredSummary(summary.seats, ("p1",))


def test_every_code_of_a_refusal_is_documented():
    sources = [path.read_text(encoding="utf-8") for path in (generator.ROOT / "src" / "tablee").rglob("*.py")]
    codes = {code for source in sources for code in re.findall(r'Refused\(\s*"(\w+)"', source)}
    page = generator.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?) \| ([\d, ]+) \|", page, re.MULTILINE)
    documented = {code: status for names, status in rows for code in re.findall(r"`(\w+)`", names)}
    assert codes <= documented.keys()
    assert STATUSES.keys() <= documented.keys()
    for code, status in documented.items():
        assert str(STATUSES.get(code, CONFLICT)) in status, code
