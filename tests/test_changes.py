"""Changes between two tables: applied to the one, they give the other, in Python and in the browser's script."""

import json
import random
import shutil
import subprocess
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tablee import all_games
from tablee.core.state import SPECTATOR
from tablee.core.view import Piece, Zone
from tablee.protocol.changes import Change, apply_changes, find_changes
from tablee.protocol.messages import encode
from tablee.protocol.shown import TableShown
from tablee.tables.commands import Actor, AnswerEnd, Claim, Play, ProposeEnd, Ready, Undo
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.decisions import decide
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused

SCRIPT = Path(__file__).parents[1] / "src" / "tablee" / "web" / "changes.js"


def as_json(shown):
    return json.loads(encode(shown))


def tables(game, moves):
    """Yield a table after each event of a random game, with rests, undone moves and an end by agreement."""
    generator = random.Random(f"changes {game.name}")
    seats = 3 if 3 in game.seats else game.usual_seats
    people = [Actor(f"p{seat}", f"Guest {seat}") for seat in range(seats)]
    request = TableRequest(game.name, seats=seats, is_open=True, rest=30, clock=60)
    _, table = new_table("t", request, Secrets(5, "invite"), people[0], 1.0)
    yield table
    commands = [(Claim(None), person) for person in people[1:]]
    for _ in range(moves):
        for command, person in commands:
            with suppress(Refused):
                for step in decide(table, command, person, table.at + 1.5):
                    table = step.table
                    yield table
        if table.phase == "playing":
            mover, move = people[table.on_turn], table.match.text(generator.choice(table.match.legal_moves()))
            commands = [(Play(move, table.number), mover), *[(Undo(), mover)] * (generator.random() < 0.2)]
        else:
            commands = [(Ready(), people[seat]) for seat in table.not_ready()]
    for command, person in ((ProposeEnd(), people[0]), *((AnswerEnd(True), person) for person in people[1:])):
        with suppress(Refused):
            for step in decide(table, command, person, table.at + 1.5):
                table = step.table
                yield table


def pairs(game, moves=25):
    """Yield what each viewer is shown before and after each event."""
    before = {}
    for table in tables(game, moves):
        for viewer in range(SPECTATOR, len(table.seats)):
            after = table_shown(table, viewer, "fr" if viewer % 2 else "en")
            if viewer in before:
                yield before[viewer], after
            before[viewer] = after


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_changes_lead_from_one_table_to_the_next(game):
    sizes, count = [0, 0], 0
    for old, new in pairs(game):
        changes = find_changes(old, new)
        received = msgspec.json.decode(encode(changes), type=tuple[Change, ...])
        applied = apply_changes(received, as_json(old))
        assert applied == as_json(new)
        assert msgspec.convert(applied, TableShown) == new
        sizes[0] += len(encode(changes))
        sizes[1] += len(encode(new))
        count += 1
    assert count > 50
    assert 2 * sizes[0] < sizes[1]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_browser_applies_the_same_changes(tmp_path):
    generator = random.Random("changes in the browser")
    cases = [(as_json(old), as_json(find_changes(old, new)), as_json(new)) for old, new in pairs(all_games()[0], 8)]
    for _ in range(200):
        old, new = random_value(generator), random_value(generator)
        cases.append((old, as_json(find_changes(old, new)), new))
    (tmp_path / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    shutil.copy(SCRIPT, tmp_path / "changes.mjs")
    program = """
        import { readFileSync } from "node:fs";
        import { deepStrictEqual } from "node:assert";
        import { applyChanges } from "./changes.mjs";
        for (const [old, changes, expected] of JSON.parse(readFileSync("cases.json"))) {
          const before = JSON.stringify(old);
          deepStrictEqual(applyChanges(old, changes), expected);
          deepStrictEqual(JSON.stringify(old), before);
        }
    """
    (tmp_path / "check.mjs").write_text(program, encoding="utf-8")
    done = subprocess.run(["node", "check.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# Any values


def random_value(generator, depth=0):
    """Return a random JSON value; two of them often share keys and elements."""
    kind = generator.randrange(4 if depth < 4 else 2)
    if kind == 0:
        return generator.choice([None, True, False, 0, 1, 1.0, "", "a"])
    if kind == 1:
        return generator.randrange(3)
    if kind == 2:
        return [random_value(generator, depth + 1) for _ in range(generator.randrange(5))]
    keys = generator.sample(["a", "b/c", "d~e", "~1", ""], generator.randrange(1, 4))
    return {key: random_value(generator, depth + 1) for key in keys}


def changed(value, generator):
    """Return a value that differs a little."""
    if isinstance(value, list) and value:
        copy = [changed(each, generator) if generator.random() < 0.3 else each for each in value]
        return copy[:-1] if generator.random() < 0.2 else copy + [None] * (generator.random() < 0.2)
    if isinstance(value, dict) and value and generator.random() < 0.9:
        return {key: changed(each, generator) if generator.random() < 0.5 else each for key, each in value.items()}
    return random_value(generator, 3)


def sorted_json(value):
    """Return a value's JSON: unlike Python, it tells 1, 1.0 and true apart."""
    return json.dumps(value, sort_keys=True)


def test_changes_of_any_values():
    generator = random.Random("changes of any values")
    operations = set()
    for _ in range(500):
        old = random_value(generator)
        for new in (random_value(generator), changed(old, generator)):
            text = json.dumps(old)
            changes = find_changes(old, new)
            assert sorted_json(apply_changes(changes, old)) == sorted_json(new)
            assert json.dumps(old) == text
            operations |= {change.op for change in changes}
        assert find_changes(old, json.loads(text)) == ()
    assert operations == {"add", "remove", "replace"}


def test_a_small_change_is_sent_alone():
    zones = [{"id": name, "pieces": list(range(12))} for name in "abcd"]
    after = [*zones[:1], {"id": "b", "pieces": [*range(11), 99]}, *zones[2:], {"id": "hand", "pieces": []}]
    assert find_changes({"zones": zones}, {"zones": after}) == (
        Change("replace", "/zones/1/pieces/11", 99),
        Change("add", "/zones/4", {"id": "hand", "pieces": []}),
    )


def test_a_zone_with_one_new_piece_is_not_sent_whole_even_if_every_zone_has_changed():
    old = tuple(Zone(str(seat), "row", "", tuple(Piece(f"{seat}.{n}", "") for n in range(5))) for seat in range(2))
    new = tuple(replace(zone, pieces=(replace(zone.pieces[0], face="7"), *zone.pieces[1:])) for zone in old)
    assert [change.path for change in find_changes(old, new)] == ["/0/pieces/0", "/1/pieces/0"]


def test_what_is_inserted_or_removed_in_front_is_sent_alone():
    names = [str(number) for number in range(8)]
    assert find_changes(names[1:], names) == (Change("add", "/0", "0"),)
    assert find_changes(names, [*names[:2], *names[4:]]) == (Change("remove", "/3"), Change("remove", "/2"))


def test_a_number_that_becomes_a_truth_value_is_a_change():
    assert find_changes({"a": [0, 5, 6, 7]}, {"a": [False, 5, 6, 7]}) == (Change("replace", "/a/0", False),)


def test_changes_that_do_not_fit_are_an_error():
    with pytest.raises(LookupError):
        apply_changes([Change("replace", "/zones/4/id", "hand")], {"zones": []})
