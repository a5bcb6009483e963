"""Saved games: what is written can be read and replayed; anything else is refused with line and reason."""

import contextlib
import dataclasses
import hashlib
import os
import random
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz_records import read_anything, real_records, resealed
from tablee import Match, Record, all_games, find_game
from tablee.core.errors import BadMove, BadRecord
from tablee.core.outcome import Outcome
from tablee.core.state import NOBODY, copy_state
from tablee.records import Deal, Header, Player, Position, RecordedMove, commitment
from tablee.records.record import MAX_BYTES

DATE = "2026-01-31T18:30:00Z"
DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "records.md"


def play_on(match, moves=10_000, seed=1):
    """Play that many random moves, or to the end."""
    generator = random.Random(seed)
    for _ in range(moves):
        if match.is_over:
            break
        match.play(generator.choice(match.legal_moves()))
    return match


UNFINISHED = play_on(Match("skyjo", seats=2, seed=7, players=["Ana", "Zoë"]), 45).record(date=DATE)
FINISHED = play_on(Match("skyjo", seats=2, seed=7)).record(date=DATE)
FROM_POSITION = play_on(Match.from_state("skyjo", UNFINISHED.replay().state), 25).record(date=DATE)
ALL_KINDS = [UNFINISHED, FINISHED, FROM_POSITION]


def refusal_of(content, **options):
    """Return the error that reading and verifying raise."""
    with pytest.raises(BadRecord) as caught:
        Record.parse(content).verify(**options)
    return caught.value


def edited(record, old, new):
    """Return the text with a change, and with checksum and commitment that match it."""
    text = record.text()
    assert old in text
    return resealed(text.replace(old, new, 1).encode())


# Round trips


def assert_round_trip(match, record):
    """Check that the text of a record leads back to the match."""
    again = Record.parse(record.text())
    assert again == record
    replayed = again.replay(trust_start=True)
    assert replayed.digest() == match.digest()
    assert replayed.first_state.tobytes() == match.first_state.tobytes()
    assert replayed.moves == match.moves
    assert replayed.setup == match.setup
    assert replayed.players == match.players
    assert (replayed.seed, replayed.stream) == (match.seed, match.stream)
    assert replayed.record(date=record.header.date) == record


@pytest.mark.parametrize("moves", [0, 1, 19, 20, 21, 40, 10_000])
@pytest.mark.parametrize("seats", [2, 5, 8])
def test_round_trip_of_a_match_of_any_length(seats, moves):
    match = play_on(Match("skyjo", seats=seats, seed=seats), moves)
    assert match.is_over == (moves == 10_000)
    assert_round_trip(match, match.record())


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_round_trip_of_every_game_in_several_setups(game):
    for number, setup in enumerate(list(game.setups())[:: max(1, len(list(game.setups())) // 4)]):
        match = play_on(Match(game, seats=setup.seats, options=setup.options, seed=number), 200, seed=number)
        assert_round_trip(match, match.record())


def test_round_trip_of_a_match_from_a_position():
    match = play_on(Match.from_state("skyjo", play_on(Match("skyjo", seed=3), 33).state), 30)
    record = match.record()
    assert isinstance(record.header.origin, Position)
    assert_round_trip(match, record)


def test_round_trip_of_the_largest_seed_and_stream():
    match = play_on(Match("skyjo", seed=2**256 - 1, stream=2**64 - 1), 10)
    record = match.record()
    assert record.header.origin == Deal(2**256 - 1, 2**64 - 1)
    assert_round_trip(match, record)


def test_a_copy_of_a_match_has_the_same_record():
    match = play_on(Match("skyjo", seed=4), 30)
    assert match.copy().record(date=DATE) == match.record(date=DATE)


def test_a_record_names_all_options_and_the_kinds_of_players():
    match = Match("skyjo", seats=2, seed=1, options={"rows": True}, players=["Ana", "Bo"])
    header = match.record(kinds=["person", "greedy 2"], date=DATE, place="home").header
    assert dict(header.options) == {
        "start": "ender",
        "double_negative": "off",
        "rows": "on",
        "opening": "choose",
        "stall_turns": "20",
    }
    assert header.players == (Player("Ana", "person"), Player("Bo", "greedy 2"))
    assert header.notes == (("place", "home"),)
    assert header.date == DATE


def test_the_default_date_is_now_in_utc():
    date = Match("skyjo", seed=1).record().header.date
    assert len(date) == len(DATE)
    assert date.endswith("Z")


def test_the_text_of_a_record():
    header = Header(
        game="whist",
        game_version=3,
        seats=2,
        options=(("trumps", "on"), ("target", "5")),
        generator=1,
        origin=Deal(0xC0FFEE, 2),
        players=(Player('Zoë "Z"', "person"), Player("a\nb\u202e")),
        date=DATE,
        software="tablee 0.1.0",
        notes=(("event", "Sunday"),),
    )
    moves = (RecordedMove(0, "play 5♥"), RecordedMove(1, "pass"))
    record = Record(header, moves, ("0123456789abcdef", "fedcba9876543210"), Outcome("target", (-3, 5), (2, 1)))
    assert record.text() == (
        "tablee record 1\n"
        "game: whist\n"
        "game version: 3\n"
        "seats: 2\n"
        "option trumps: on\n"
        "option target: 5\n"
        "generator: 1\n"
        "commitment: fc63f733fe4aefc2435fbb85559cf54f9fdac279f13816fdf8ecd9c4e87ce935\n"
        "seed: 0000000000000000000000000000000000000000000000000000000000c0ffee\n"
        "stream: 2\n"
        'player 0: "Zoë \\"Z\\"" is "person"\n'
        'player 1: "a\\nb\\u202e"\n'
        f"date: {DATE}\n"
        'software: "tablee 0.1.0"\n'
        'note event: "Sunday"\n'
        "\n"
        "digest 0: 0123456789abcdef\n"
        "1 seat0 play 5♥\n"
        "2 seat1 pass\n"
        "digest 2: fedcba9876543210\n"
        "\n"
        "outcome: target\n"
        "scores: -3 5\n"
        "places: 2 1\n"
        "sha256: dd50ec26db467c9b81982651ddddf217613c0b64818698c86ec33ef596e5cbb7\n"
    )
    assert Record.parse(record.text()) == record


def test_the_example_in_the_documentation_is_a_real_record():
    shown = DOCUMENT.read_text(encoding="utf-8").split("```\n")[1]
    record = Record.parse(shown)
    assert record_anew(record).text() == shown
    assert record.verify().outcome is not None


def record_anew(record):
    """Return the record of a new match with the same deal and moves."""
    header, game = record.header, find_game(record.header.game)
    options = {name: game.option(name).parse(value) for name, value in header.options}
    names = [player.name for player in header.players]
    match = Match(game, seats=header.seats, options=options, seed=header.origin.seed, players=names)
    for move in record.moves:
        match.play(move.text)
    kinds = [player.kind for player in header.players]
    return match.record(kinds=kinds, date=header.date, software=header.software, **dict(header.notes))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=2), st.text('a"\\\n\r\u2028é'))
@settings(deadline=None, max_examples=100)
def test_any_name_is_read_back_and_stays_on_one_line(names, note):
    record = Match("skyjo", seats=2, seed=1, players=names).record(kinds=["person", note], remark=note)
    assert [player.name for player in record.header.players] == names
    assert record.header.notes == (("remark", note),)
    assert len(record.text().splitlines()) == record.text().count("\n")


def test_reading_a_record_imports_no_rules():
    program = (
        "import sys; from tablee import Record; Record.parse(sys.stdin.buffer.read());"
        "sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], input=FINISHED.text().encode(), check=True)


# What cannot be recorded


def test_a_name_that_is_not_unicode_is_refused():
    with pytest.raises(BadRecord, match="is not Unicode text"):
        Match("skyjo", seats=2, players=["\ud800", "Bo"]).record()


def test_an_impossible_date_is_refused():
    with pytest.raises(BadRecord, match="there is no date 2026-02-30T00:00:00Z"):
        Match("skyjo").record(date="2026-02-30T00:00:00Z")


def test_kinds_must_be_one_per_seat():
    with pytest.raises(BadRecord, match="1 kinds of players for 2 seats"):
        Match("skyjo", seats=2).record(kinds=["person"])


def test_a_match_with_a_changed_state_is_refused():
    match = play_on(Match("skyjo", seed=1), 10)
    match.state.totals[0] -= 50
    with pytest.raises(BadRecord, match="does not follow from its moves"):
        match.record()


# Damage


@pytest.mark.parametrize("record", ALL_KINDS, ids=["unfinished", "finished", "from position"])
def test_every_truncated_record_is_refused(record):
    content = record.text().encode()
    for length in range(len(content)):
        assert refusal_of(content[:length]).line > 0


@pytest.mark.parametrize("record", ALL_KINDS, ids=["unfinished", "finished", "from position"])
def test_a_change_of_any_byte_is_refused(record):
    content = record.text().encode()
    for index in range(len(content)):
        changed = bytearray(content)
        changed[index] ^= 1 << index % 8
        assert refusal_of(bytes(changed)).line > 0


def test_a_change_that_can_be_read_fails_the_checksum():
    text = UNFINISHED.text().replace('"Ana"', '"Eve"')
    error = refusal_of(text)
    assert str(error) == f"line {text.count(chr(10))}: the checksum does not match: the text above was changed"


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"", 1, "not a Tablée record"),
        (b"\n", 1, "not a Tablée record"),
        (b"\x89PNG\r\n\x1a\n", 1, "not text in UTF-8: byte 0x89"),
        (b'[Event "F/S Return Match"]\n', 1, "not a Tablée record"),
        (b"tablee record 1\ngame: \xff\n", 2, "not text in UTF-8: byte 0xff"),
        (b"\xef\xbb\xbf" + UNFINISHED.text().encode(), 1, "not a Tablée record"),
        (UNFINISHED.text().encode("utf-16"), 1, "not text in UTF-8"),
        (UNFINISHED.text().replace("\n", "\r\n").encode(), 1, "not a Tablée record"),
        (b"tablee record 2\n", 1, "format 2; this version of Tablée reads format 1"),
        (b"tablee record 1\n", 2, "cut off: expected 'game: ' and a name in lower case"),
        ("tablee record 1\ngame: \ud800\n", 2, "not text in UTF-8"),
        (UNFINISHED.text() + "more\n", UNFINISHED.text().count("\n") + 1, "unexpected text after the end"),
    ],
)
def test_a_file_that_is_not_a_record_is_refused(content, line, reason):
    error = refusal_of(content)
    assert error.line == line
    assert reason in str(error)


@pytest.mark.parametrize(
    ("old", "new", "start", "reason"),
    [
        ("game: skyjo", "game: Skyjo", "game: ", "expected 'game: ' and a name in lower case, found 'game: Skyjo'"),
        ("game: skyjo", "game: skyjoo", "game: ", "there is no game 'skyjoo'; did you mean 'skyjo'?"),
        ("version: 1", "version: 2", "game version: ", "needs version 2 of skyjo; version"),
        ("version: 1", "version: 01", "game version: ", "a whole number"),
        ("version: 1", "version: 9999999999", "game version: ", "more than"),
        ("seats: 2", "seats: ²", "seats: ", "expected 'seats: ' and a whole number, found 'seats: ²'"),
        ("seats: 2", "seats: 1000", "seats: ", "seats is 1000, which is more than 999"),
        ("seats: 2", "seat: 2", "seat: ", "expected 'seats: '"),
        ("option rows: off", "option rows: maybe", "option rows: ", "cannot be 'maybe'; it is one of off, on"),
        ("option rows: off", "option rows: no", "option rows: ", "option 'rows' must be written 'off', not 'no'"),
        ("option rows: off", "option row: off", "option row: ", "has no option 'row'; did you mean 'rows'?"),
        ("option rows: off", "option rows", "option rows", "expected 'option', a name and its value"),
        ("option rows: off\n", "", "seats: ", "the options of skyjo are start, double_negative, rows"),
        ("option rows: off\n", "option rows: off\noption rows: off\n", "seats: ", "the options of skyjo are"),
        ("generator: 1", "generator: 2", "generator: ", "used generator 2; this version of Tablée has 1"),
        ("seed: 0", "seed: x", "seed: ", "expected 'seed: ' and 64 hexadecimal digits"),
        ("stream: 0", "stream: 18446744073709551616", "stream: ", "more than 18446744073709551615"),
        ("stream: 0", "stream: 1", "digest 0: ", "the deal differs"),
        ("player 1: ", "player 2: ", "player 2: ", "expected 'player 1: '"),
        ('"Ana"', '"Ana', "player 0: ", "expected 'player 0: ' and a name in quotation marks"),
        ('"Ana"', r'"\u0041na"', "player 0: ", "not quoted in the usual form"),
        ('"Ana"', r'"\ud800"', "player 0: ", "not quoted in the usual form"),
        ('"Ana"', r'"\x41na"', "player 0: ", "not quoted in the usual form"),
        ('"Ana"', '"Ana" is ""', "player 0: ", "expected 'player 0: \"Ana\"', found"),
        ("date: 2026-01", "date: 2026-13", "date: ", "there is no date 2026-13-31T18:30:00Z"),
        ("date: 2026", "date: 26", "date: ", "a date like"),
        ("\n\ndigest", "\ndigest", "digest 0: ", "expected an empty line"),
        ("digest 20: ", "digest 21: ", "digest 21: ", "expected 'digest 20: '"),
        ("\n3 seat", "\n4 seat", "4 seat", "expected move 3, like '3 seat0 …', found '4 seat"),
        ("\n3 seat", "\nthree seat", "three seat", "expected move 3"),
        ("\n3 seat1 ", "\n3 seat1  ", "3 seat", "expected move 3"),
        ("\n3 seat1 ", "\n3 seat1 " + "9" * 5000, "3 seat", "which is more than 200"),
        ("\noutcome: not over", "\noutcome: not overt", "outcome: ", "expected 'outcome: not over'"),
        ("outcome: not over", "outcome: target\nscores: 1\nplaces: 1 2", "scores: ", "1 scores for 2 seats"),
    ],
)
def test_an_error_names_the_line(old, new, start, reason):
    content = edited(UNFINISHED, old, new)
    error = refusal_of(content)
    assert reason in str(error)
    assert content.decode().split("\n")[error.line - 1].startswith(start), error


def test_a_record_without_digests_or_checksum_is_refused():
    lines = UNFINISHED.text().split("\n")
    without_digests = "\n".join(line for line in lines if not line.startswith("digest "))
    assert "expected 'digest 0: '" in str(refusal_of(resealed(without_digests.encode())))
    without_last_digest = "\n".join(line for line in lines if not line.startswith("digest 45"))
    assert "expected 'digest 45: '" in str(refusal_of(resealed(without_last_digest.encode())))
    without_checksum = "\n".join(line for line in lines if not line.startswith("sha256: "))
    assert "cut off: expected 'sha256: '" in str(refusal_of(without_checksum))


def test_a_commitment_to_another_seed_is_refused():
    recorded = UNFINISHED.header.origin.commitment
    error = refusal_of(UNFINISHED.text().replace(recorded, commitment(8)))
    assert error.line == UNFINISHED.line_of("commitment: ")
    assert "the commitment does not match the seed" in str(error)


def test_a_record_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(BadRecord, match="more than"):
        Record.parse(b"x" * (MAX_BYTES + 1))
    path = tmp_path / "huge.tablee"
    with path.open("wb") as file:
        file.truncate(2**40)  # a sparse file of 1 TiB
    with pytest.raises(BadRecord, match="more than"):
        Record.load(path)


# Replaying names the first difference


def replay_refusal(record, number, **change):
    """Return the error after a move is changed, and the line of that move."""
    moves = list(record.moves)
    moves[number - 1] = moves[number - 1]._replace(**change)
    changed = dataclasses.replace(record, moves=tuple(moves))
    return refusal_of(changed.text()), changed.line_of(f"{number} seat")


def test_an_illegal_move_is_named():
    error, line = replay_refusal(FINISHED, 5, text="swap b3")
    assert error.line == line
    assert str(error).startswith(f"line {line}: move 5 of seat {FINISHED.moves[4].seat}, 'swap b3': illegal, ")
    assert "(R8)" in str(error)


def test_a_move_of_the_wrong_seat_is_named():
    seat = FINISHED.moves[4].seat
    error, line = replay_refusal(FINISHED, 5, seat=1 - seat)
    assert error.line == line
    assert f"seat {seat} is to move" in str(error)


def test_a_move_that_does_not_exist_is_named():
    error, line = replay_refusal(FINISHED, 5, text="castle")
    assert error.line == line
    assert "move 5 of seat" in str(error)
    assert "no move 'castle'" in str(error)


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_every_game_answers_a_malformed_move_with_bad_move(game):
    match = Match(game, seed=1)
    texts = [match.text(move) for move in range(0, game.moves, max(1, game.moves // 10))]
    for text, digit in product(texts, ["²", "٣", "-1", "½", "\x85", '"', "ß"]):
        for malformed in (text + digit, digit + text, re.sub("[0-9]", digit, text) + digit):
            with contextlib.suppress(BadMove):
                assert match.text(match.parse(malformed)) != malformed


def test_a_move_has_one_spelling():
    text = FINISHED.moves[4].text
    error, line = replay_refusal(FINISHED, 5, text=text.upper())
    assert error.line == line
    assert f"it must be written {text!r}" in str(error)


def test_another_legal_move_is_found_by_the_next_digest():
    before = play_on(Match("skyjo", seats=2, seed=7, players=["Ana", "Zoë"]), 44)
    assert [move.text for move in UNFINISHED.moves[:44]] == [before.text(move) for move in before.moves]
    other = next(move for move in before.legal_moves() if before.text(move) != UNFINISHED.moves[44].text)
    error, line = replay_refusal(UNFINISHED, 45, text=before.text(other))
    assert error.line == line + 1
    assert "moves 41 to 45 differ" in str(error)


@pytest.mark.parametrize(
    ("index", "start", "reason"),
    [(0, "digest 0: ", "the deal differs"), (1, "digest 20: ", "moves 1 to 20"), (3, "digest 45: ", "moves 41 to 45")],
)
def test_every_digest_is_compared(index, start, reason):
    digests = list(UNFINISHED.digests)
    digests[index] = "0" * 16
    error = refusal_of(dataclasses.replace(UNFINISHED, digests=tuple(digests)).text())
    assert error.line == UNFINISHED.line_of(start)
    assert reason in str(error)


@pytest.mark.parametrize("change", [{"reason": "round_limit"}, {"scores": (1, 2)}, {"ranks": (1, 1)}])
def test_every_part_of_the_outcome_is_compared(change):
    outcome = dataclasses.replace(FINISHED.outcome, **change)
    error = refusal_of(dataclasses.replace(FINISHED, outcome=outcome).text())
    assert error.line == FINISHED.line_of("outcome: ")
    assert "the outcome is" in str(error)


def test_an_outcome_before_the_end_is_refused():
    error = refusal_of(dataclasses.replace(UNFINISHED, outcome=FINISHED.outcome).text())
    assert "the outcome is None" in str(error)


def test_a_move_after_the_end_is_refused():
    moves = (*FINISHED.moves, RecordedMove(0, "draw"))
    digests = (*FINISHED.digests[:-1], "0" * 16)
    error = refusal_of(dataclasses.replace(FINISHED, moves=moves, digests=digests).text())
    assert f"move {len(moves)} of seat 0, 'draw'" in str(error)


# Records that begin in a position


def test_a_position_must_be_trusted():
    error = refusal_of(FROM_POSITION.text())
    assert error.line == FROM_POSITION.line_of("start: ")
    assert "trust_start" in str(error)
    assert FROM_POSITION.verify(trust_start=True).commitment is None


def position_refusal(state):
    header = dataclasses.replace(FROM_POSITION.header, origin=Position(state))
    return refusal_of(dataclasses.replace(FROM_POSITION, header=header).text(), trust_start=True)


def test_a_position_of_the_wrong_size_is_refused():
    error = position_refusal(FROM_POSITION.header.origin.state[:-1])
    assert error.line == FROM_POSITION.line_of("start: ")
    assert "a state of skyjo has" in str(error)


@pytest.mark.parametrize(
    ("field", "number", "reason"),
    [
        ("viewer", 0, "what viewer 0 sees"),
        ("seats", 3, "has the setup seats=3"),
        ("seats", 99, "cannot be played by 99"),
        ("to_move", 2, "seat 2 cannot be to move"),
        ("to_move", NOBODY, "seat -1 cannot be to move"),
        ("end_reason", 1, "cannot be to move"),
        ("draw_count", 0, "not possible: the cards on the table are not the deck"),
    ],
)
def test_an_impossible_position_is_refused(field, number, reason):
    state = copy_state(FROM_POSITION.replay(trust_start=True).first_state)
    state[field] = number
    error = position_refusal(state.tobytes())
    assert error.line == FROM_POSITION.line_of("start: ")
    assert reason in str(error)


def test_a_position_with_an_unknown_end_reason_is_refused():
    state = copy_state(FROM_POSITION.replay(trust_start=True).first_state)
    state.to_move, state.end_reason = NOBODY, 99
    assert "unknown end reason 99" in str(position_refusal(state.tobytes()))


# Verifying


def test_verification_says_what_was_checked():
    checked = FINISHED.verify()
    assert checked.moves == len(FINISHED.moves)
    assert checked.digests == (len(FINISHED.moves) - 1) // 20 + 2
    assert checked.outcome == FINISHED.replay().outcome
    before, _, last = FINISHED.text().rpartition("sha256: ")
    assert checked.checksum == last.strip() == hashlib.sha256(before.encode()).hexdigest()


def test_the_commitment_is_the_hash_of_seed_and_stream():
    expected = hashlib.sha256(b"0" * 63 + b"7 0").hexdigest()
    assert commitment(7) == expected
    assert FINISHED.verify(shown=expected).commitment == expected


def test_another_commitment_than_the_one_shown_is_refused():
    error = refusal_of(FINISHED.text(), shown=commitment(8))
    assert error.line == FINISHED.line_of("commitment: ")
    error = refusal_of(FROM_POSITION.text(), shown=commitment(7), trust_start=True)
    assert error.line == FROM_POSITION.line_of("start: ")


# Random input


@given(st.binary(max_size=400))
@settings(deadline=None, max_examples=300)
def test_random_bytes_are_refused(content):
    assert refusal_of(content).line >= 1


def mutations(content):
    """Return a strategy of texts that differ from a record at a few positions."""
    index = st.integers(0, len(content) - 1)
    tokens = st.sampled_from([b"\n", b"\n\n", b" ", b'"', b"\\u", b"0", b"-1", b"seat9", b"digest "])
    moved = st.tuples(index, index).map(lambda ends: content[slice(*ends)])
    change = st.tuples(index, st.integers(0, 80), st.binary(max_size=6) | tokens | moved)
    return st.lists(change, min_size=1, max_size=4).map(lambda changes: spliced(content, changes))


def spliced(content, changes):
    for index, removed, inserted in changes:
        content = content[:index] + inserted + content[index + removed :]
    return content


@given(st.sampled_from([record.text().encode() for record in ALL_KINDS]).flatmap(mutations))
@settings(deadline=None, max_examples=400)
def test_a_mutated_record_is_refused_or_equal(content):
    read_anything(content)
    try:
        record = Record.parse(content)
    except BadRecord:
        return
    assert record in ALL_KINDS


def test_the_corpus_of_the_fuzzer_is_valid():
    for content in real_records():
        assert resealed(content) == content
        record = Record.parse(content)
        record.verify(trust_start=True)
        read_anything(content)


# Files


def test_a_record_is_saved_and_loaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FINISHED.save("game.tablee")
    assert (tmp_path / "game.tablee").read_bytes() == FINISHED.text().encode()
    assert Record.load("game.tablee") == FINISHED
    UNFINISHED.save(tmp_path / "game.tablee")
    assert Record.load(tmp_path / "game.tablee") == UNFINISHED
    assert os.listdir(tmp_path) == ["game.tablee"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failing_write_leaves_the_old_file(tmp_path, monkeypatch, step):
    def fail(*_):
        raise OSError("the disk is full")

    path = tmp_path / "game.tablee"
    FINISHED.save(path)
    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), fail)
    with pytest.raises(OSError, match="the disk is full"):
        UNFINISHED.save(path)
    assert Record.load(path) == FINISHED
    assert os.listdir(tmp_path) == ["game.tablee"]
