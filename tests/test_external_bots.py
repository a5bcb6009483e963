"""External bots: what they are sent, and what happens when they fail."""

import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tablee import Match, find_game
from tablee.arena.matches import Task, play_game
from tablee.arena.pool import processes
from tablee.bots import confinement, external
from tablee.bots.external import BotError, ExternalBot, ExternalBotSpec, parse_external
from tablee.bots.roster import NAMES, TRAINED_NAMES, find_external_bots, known_names, make_bot, pin, version_of
from tablee.core.errors import BadSetup, TableeError
from tablee.records import Record
from tablee.server.app import create_app
from tablee.server.bot_pool import BotPool
from tablee.server.catalogue import bot_infos
from tablee.server.metrics import Metrics
from tablee.server.settings import Settings
from tablee.storage.export import record_of
from tablee.tables.commands import Actor
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.refusals import Refused

pytestmark = pytest.mark.surface

EXAMPLE = Path(__file__).parents[1] / "examples" / "external_bot.py"
GREET = "import sys, json, time; input(); print(json.dumps({'wants': []}), flush=True); input();"


def program(code, **settings):
    """Return an external bot that runs this Python code."""
    return ExternalBotSpec("mine", f"{sys.executable} -c {json.dumps(code)}", **settings)


def decide(bot, match):
    try:
        return match.text(bot.decide(match.sight(match.to_move), match.legal_moves()).move)
    finally:
        bot.close()


def has_ended(pid):
    """Whether a process ends within a minute; a zombie counts as ended."""
    for _ in range(3000):
        state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False)
        if state.stdout.strip()[:1] in ("", "Z"):
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def match():
    return Match("skyjo", seats=2, seed=1)


def test_the_example_has_at_most_twenty_lines_and_does_not_import_tablee():
    lines = EXAMPLE.read_text().splitlines()
    code = [line for line in lines[lines.index("import json") :] if line.strip()]
    assert len(code) <= 20
    assert "tablee" not in " ".join(line for line in code if "import" in line)


def test_the_example_plays_the_first_legal_move(match):
    assert decide(ExternalBot(ExternalBotSpec("first", f"{sys.executable} {EXAMPLE}"), 0), match) == "flip a1"


def test_a_program_runs_until_it_is_closed(match):
    bot = ExternalBot(ExternalBotSpec("first", f"{sys.executable} {EXAMPLE}"), 0)
    for _ in range(3):
        match.play(bot.decide(match.sight(match.to_move), match.legal_moves()).move)
        process = bot._process
        assert process.poll() is None
    assert bot._process is process
    bot.close()
    assert process.poll() is not None


@pytest.mark.parametrize("part", external.SIGHT_PARTS)
def test_a_bot_is_sent_what_it_wants_and_nothing_hidden(match, part, tmp_path):
    file = tmp_path / "asked.json"
    code = (
        f"import json; input(); print(json.dumps({{'wants': ['{part}']}}), flush=True); line = input();"
        f"open({str(file)!r}, 'w').write(line); print(json.dumps({{'move': json.loads(line)['moves'][-1]}}))"
    )
    seat, moves = match.to_move, match.legal_moves()
    assert decide(ExternalBot(program(code), 0), match) == match.text(moves[-1])
    asked = json.loads(file.read_text())
    assert asked["seat"] == seat
    assert asked["moves"] == [match.text(move) for move in moves]
    assert set(asked) == {"seat", "moves", part}
    expected = {
        "view": lambda: json.loads(json.dumps(match.view(seat).as_dict())),
        "observation": lambda: match.sight(seat).observe().tolist(),
        "sight": lambda: {
            name: match.sight(seat).state[name].tolist()
            for name in match.state.dtype.names
            if name not in ("generator", "padding")
        },
    }[part]()
    assert asked[part] == expected
    assert "generator" not in asked.get("sight", {})


def test_the_greeting_names_game_seats_options_and_seed(match, tmp_path):
    file = tmp_path / "greeted.json"
    with pytest.raises(BotError):
        decide(ExternalBot(program(f"open({str(file)!r}, 'w').write(input())"), 5), match)
    greeting = json.loads(file.read_text())
    assert greeting == {
        "tablee": external.PROTOCOL,
        "game": "skyjo",
        "version": find_game("skyjo").version,
        "seats": 2,
        "options": dict(match.setup.options),
        "seed": 5,
    }


def test_a_bot_does_not_get_the_settings_of_the_server(match, tmp_path, monkeypatch):
    monkeypatch.setenv("TABLEE_DATABASE", "postgresql://user:secret@host/base")
    file = tmp_path / "environment"
    with pytest.raises(BotError):
        decide(ExternalBot(program(f"import os; open({str(file)!r}, 'w').write(repr(os.environ))"), 0), match)
    assert "secret" not in file.read_text()


BAD = {
    "crash": ("raise SystemExit('no idea')", "ended with exit code 1: no idea"),
    "silence": (GREET + "time.sleep(60)", "was silent for 0.5 seconds"),
    "rubbish": (GREET + "print('hm')", r"answered 'hm\n', which is no JSON object"),
    "list": (GREET + "print('[]')", "no JSON object"),
    "deep": (GREET + "print('[' * 60000)", "no JSON object"),
    "nothing": (GREET + "print('{}')", "answered {} without a move"),
    "unreadable": (GREET + 'print(\'{"move": "fly"}\')', "answered 'fly'"),
    "illegal": (GREET + 'print(\'{"move": "draw"}\')', "answered with the illegal move 'draw'"),
    "endless": (GREET + "[print('x' * 65536, end='', flush=True) for _ in range(99)]", "more than 65536 characters"),
    "unknown part": ('input(); print(\'{"wants": ["truth"]}\')', "wants ['truth']; it may want a list of view"),
    "closing": (GREET + "sys.stdout.close(); import os; os.close(1); time.sleep(60)", "closed its output"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_reply_is_reported_and_ends_the_program(match, case):
    code, message = BAD[case]
    bot = ExternalBot(program(code, seconds=0.5 if case == "silence" else 60), 0)
    with pytest.raises(BotError) as failed:
        decide(bot, match)
    assert str(failed.value).startswith("the external bot 'mine' ")
    assert message in str(failed.value)
    assert bot._process is None


def test_processes_started_by_a_bot_end_with_it(match, tmp_path):
    file = tmp_path / "pid"
    code = (
        f"import subprocess; child = subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL);"
        f"open({str(file)!r}, 'w').write(str(child.pid)); {GREET} time.sleep(60)"
    )
    with pytest.raises(BotError, match="silent"):
        decide(ExternalBot(program(code, seconds=0.5), 0), match)
    assert has_ended(file.read_text())


def test_closing_a_pool_ends_its_external_bots(tmp_path):
    file = tmp_path / "pid"
    external_bots = {
        "mine": program(f"import os, time; open({str(file)!r}, 'w').write(str(os.getpid())); time.sleep(60)")
    }
    with processes(1) as pool:
        pool.submit(play_game, Task("x", "skyjo", {}, 1, 0, 0, ("mine", "random"), external_bots, keeps_record=False))
        while not (file.exists() and file.read_text()):
            time.sleep(0.02)
    assert has_ended(file.read_text())


def test_a_bot_that_fails_forfeits_and_the_game_has_a_result():
    external_bots = {"mine": program("raise SystemExit('no idea')")}
    lineup = ("random", "mine", "random")
    result, record = play_game(Task("x", "skyjo", {}, 1, 0, 0, lineup, external_bots, keeps_record=True))
    assert result.forfeit.seat == 1
    assert "no idea" in result.forfeit.reason
    assert result.ranks == (1, 3, 1)
    assert result.win_shares == (0.5, 0.0, 0.5)
    assert result.scores is None
    saved = Record.parse(record)
    assert "no idea" in dict(saved.header.notes)["forfeit"]
    assert saved.header.players[1].kind == "mine 1"
    saved.replay()


# The list of external bots


def test_the_settings_list_external_bots(tmp_path, monkeypatch):
    listed = tmp_path / "bots.toml"
    listed.write_text(f'[first]\ncommand = "{sys.executable} {EXAMPLE}"\nversion = 3\nseconds = 2\n')
    assert known_names() == (*NAMES, *TRAINED_NAMES)
    monkeypatch.setenv(external.BOTS_VARIABLE, str(listed))
    assert known_names() == (*NAMES, *TRAINED_NAMES, "first")
    assert version_of("first") == 3
    assert set(find_external_bots(["random", "first"], [])) == {"first"}
    assert find_external_bots(["random", "greedy"], []) == {}
    game = find_game("skyjo")
    assert pin("first", game).version == 3
    bot = make_bot("first", game, 0, seconds=5)
    assert (bot.name, bot.version, bot.seconds) == ("first", 3, 2)
    assert decide(bot, Match(game, seats=2, seed=1)) == "flip a1"


@pytest.mark.parametrize(
    "text", ["[first", "first = 3", "[first]\nversion = 1", "[first]\ncommand = ''", "[a-b]\ncommand='x'"]
)
def test_an_invalid_list_is_refused(tmp_path, monkeypatch, text):
    listed = tmp_path / "bots.toml"
    listed.write_text(text)
    monkeypatch.setenv(external.BOTS_VARIABLE, str(listed))
    with pytest.raises(BadSetup):
        known_names()


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table with two listed external bots: one that plays, and one that fails."""
    listed = tmp_path / "bots.toml"
    listed.write_text(f'[first]\ncommand = "{sys.executable} {EXAMPLE}"\n[broken]\ncommand = "false"\n')
    monkeypatch.setenv(external.BOTS_VARIABLE, str(listed))
    request = TableRequest("skyjo", 2, bots=("first", "broken"), sits=False)
    return new_table("abc", request, Secrets(1, "word"), Actor("p", "Ana"), 0.0, known_names())[1]


@pytest.mark.skipif(not confinement.landlock_version(), reason="the kernel has no Landlock")
def test_a_bot_cannot_read_the_database_and_secrets_of_its_server(match, tmp_path, monkeypatch):
    """It can read and write everything else, also beside the database."""
    folder = tmp_path / "server" / "files"
    folder.mkdir(parents=True)
    for name in ("tablee.db", "tablee.db-wal", "secret", "beside"):
        (folder / name).write_text("0123456789abcdef")
    monkeypatch.setenv("TABLEE_DATABASE", str(folder / "tablee.db"))
    monkeypatch.setenv("TABLEE_SECRET_FILE", str(folder / "secret"))
    tries = [folder / "tablee.db", folder / "tablee.db-wal", folder / "secret", f"/proc/{os.getpid()}/environ"]
    (tmp_path / "bot.py").write_text(f"""
import json, os, subprocess, sys
def can(action):
    try: action(); return True
    except OSError: return False
input(); print(json.dumps(dict(wants=[])), flush=True)
moves = json.loads(input())["moves"]
report = dict(
    reads=[can(lambda: open(path).read(1)) for path in {[str(path) for path in tries]!r}],
    writes=can(lambda: open({str(folder / "tablee.db")!r}, "a")),
    removes=can(lambda: os.remove({str(folder / "tablee.db")!r})),
    beside=can(lambda: open({str(folder / "beside")!r}).read(1)),
    child=subprocess.run(["cat", {str(folder / "tablee.db")!r}], capture_output=True).returncode == 0,
)
sys.stderr.write(json.dumps(report)); sys.exit(3)
""")
    spec = ExternalBotSpec("mine", f"{sys.executable} {tmp_path / 'bot.py'}")
    with pytest.raises(BotError) as failed:
        decide(ExternalBot(spec, seed=1), match)
    report = json.loads(str(failed.value).partition("code 3: ")[2])
    nothing = {"reads": [False] * len(tries), "writes": False, "removes": False, "child": False}
    assert report == {**nothing, "beside": True}
    assert (folder / "tablee.db").read_text()  # this process still can


@pytest.mark.skipif(not confinement.landlock_version(), reason="the kernel has no Landlock")
@pytest.mark.parametrize("url", ["{file}", "sqlite:///{file}"])
def test_a_bot_cannot_read_a_database_that_is_in_no_environment_variable(match, tmp_path, monkeypatch, url):
    """As with `tablee serve`, `tablee serve --database FILE`, and a file that TABLEE_DATABASE_FILE names."""
    monkeypatch.delenv("TABLEE_DATABASE", raising=False)
    file = tmp_path / "tablee.db"
    app = create_app(Settings(database=url.format(file=file), status="off"))
    for secret in (file, tmp_path / "tablee.db-wal"):
        assert secret.read_bytes()  # this process can
        with pytest.raises(BotError, match="PermissionError"):
            decide(ExternalBot(program(f"{GREET} open({str(secret)!r})"), seed=1), match)
    app.state.registry.store.close()


def test_listed_external_bots_play_at_tables(table, caplog):
    bot_pool = BotPool(Settings(), Metrics())
    assert [info.label for info in bot_infos("fr")][-2:] == ["first", "broken"]
    assert asyncio.run(bot_pool.move(table, 0)) == "flip a1"
    table.match.play("flip a1")
    table.match.play("flip b1")
    assert asyncio.run(bot_pool.move(table, 1)).startswith("flip")  # another move instead: the table goes on
    assert "'broken' ended with exit code 1" in caplog.records[-1].fields["why"]
    bot_pool.close()


def test_a_table_stays_readable_when_its_bots_are_no_longer_listed(table, monkeypatch):
    monkeypatch.delenv(external.BOTS_VARIABLE)
    with pytest.raises(Refused):
        new_table(
            "abc", TableRequest("skyjo", 2, bots=("first",)), Secrets(1, "word"), Actor("p", "Ana"), 0.0, known_names()
        )
    kinds = [player.kind for player in record_of(table).header.players]
    assert kinds == ["first", "broken"]


def test_an_unknown_bot_is_refused_with_a_suggestion():
    with pytest.raises(TableeError, match="no bot 'exprt'; did you mean 'expert'"):
        make_bot("exprt", find_game("skyjo"), 0)
    with pytest.raises(TableeError, match="no bot 'mine'"):
        make_bot("mine", find_game("skyjo"), 0, external_bots={})


@pytest.mark.parametrize("text", ["mine", "=x", "mine=", "my bot=x", "mine=x 'y"])
def test_an_external_bot_is_written_as_name_and_command(text):
    with pytest.raises(BadSetup, match="external bot"):
        parse_external(text)


def test_a_comment_in_a_policy_does_not_change_a_pin(tmp_path):
    game = find_game("skyjo")
    source = (game.folder / "policy.py").read_text()
    changed = replace(game)
    for text, is_same in [(source + "\n# A comment.\n", True), (source + "\nEXTRA = 1\n", False)]:
        (tmp_path / "policy.py").write_text(text)
        vars(changed)["folder"] = tmp_path
        assert (pin("club", changed) == pin("club", game)) is is_same


def test_pins_differ_between_bots_policies_and_commands():
    game = find_game("skyjo")
    pins = [pin(name, game) for name in NAMES]
    assert len(set(pins)) == len(NAMES)
    assert pin("greedy", game).policy != pin("greedy", find_game("xe_queo")).policy
    one, other = (pin("mine", game, {"mine": ExternalBotSpec("mine", command)}) for command in ("a", "b"))
    assert one != other
