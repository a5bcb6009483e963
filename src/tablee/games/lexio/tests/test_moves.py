"""Moves as numbers and texts, move counts on small deals, and the golden match for two."""

from pathlib import Path

import numpy as np
import pytest

from tablee.core.errors import BadMove
from tablee.games.lexio import GAME
from tablee.games.lexio.catalogue import MOVES, NO_MOVE, PASS, move_of, size_of, tiles_of
from tablee.games.lexio.moves import MOVE_FEATURES, TILE_NAMES, move_features, move_text, parse_move
from tablee.games.lexio.tests.positions import match_of, position, tiles
from tablee.testing import count_moves, playthrough


def test_every_set_of_tiles_has_one_number():
    assert GAME.moves == MOVES
    sets = [int(tiles_of(move)) for move in range(1, MOVES)]
    assert len(set(sets)) == MOVES - 1
    assert [int(move_of(chosen)) for chosen in sets] == list(range(1, MOVES))
    assert all(int(size_of(move)) == sets[move - 1].bit_count() for move in range(1, MOVES))


def test_the_number_of_combinations_of_each_size():
    counts = dict.fromkeys((0, 1, 2, 3, 5), 0)
    for move in range(MOVES):
        counts[int(size_of(move))] += 1
    fives = 14 * (4**5 - 4) + 4 * 3003 + 15 * 4 * 14 * 6 + 15 * 56
    assert counts == {0: 1, 1: 60, 2: 90, 3: 60, 5: fives}


@pytest.mark.parametrize(
    "text",
    [
        "pass",
        "play 3N",
        "play 9N 9S",
        "play 9N 9L 9S",
        "play 5N 6N 7S 8L 9L",
        "play 1S 2L 3N 4N 5E",
        "play 2S 3S 4S 5S 6S",
        "play 12N 13N 14E 15N 1N",
        "play 9N 9L 9S 4E 4L",
        "play 4N 4E 4L 4S 3S",
    ],
)
def test_a_text_is_parsed_and_written_unchanged(text):
    assert move_text(parse_move(text)) == text


def test_parsing_ignores_case_order_and_spaces():
    straight = parse_move("play 5N 6N 7S 8L 9L")
    assert parse_move("  PLAY 9l 8L 7s6n  5N ") == straight
    assert parse_move("play 5 n 6n 7s 8l 9l") == straight
    assert parse_move("play 5É") == parse_move("play 5E")
    assert parse_move("Pass") == PASS


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "Lexio has no move"),
        ("pass 3N", "Lexio has no move"),
        ("ply 5N", "did you mean 'play 5N'"),
        ("play", "no combination"),
        ("play 16N", "no tile '16N'"),
        ("play 0S", "no tile"),
        ("play 5K", "no tile"),
        ("play 5N 5N", "twice"),
        ("play 5N 6N", "no combination"),
        ("play 5N 6N 7N 8N", "no combination"),
        ("play 13N 14E 15N 1N 2N", "no combination"),
    ],
)
def test_an_unknown_move_is_refused_with_a_hint(text, hint):
    with pytest.raises(BadMove, match=hint):
        parse_move(text)


def test_other_sets_of_tiles_have_no_number():
    for names in ("", "3N 4N", "3N 3E 4N", "3N 3E 3L 3S", "3N 4N 5N 6N 8E", "3N 3E 4N 4E 5N", "3N 3E 3L 4N 5N"):
        assert move_of(tiles(names)) == NO_MOVE


SINGLES = ("3N 6N", "4N 5N", "3E 7N")
MIXED = ("3N 3S 7N 9E", "4N 4S 8N 8L", "5N 5S 5L 9N")
FIVES = ("3N 4N 5N 6N 7E 2N", "3E 4E 5E 6E 8E 2E", "9N 9E 9L 8N 8L 2L")


@pytest.mark.parametrize(
    ("hands", "counts"),
    [
        (SINGLES, [2, 4, 9, 12, 9]),
        (MIXED, [5, 17, 54, 128, 284]),
        (FIVES, [8, 36, 164, 320, 802]),
    ],
)
def test_move_counts(hands, counts):
    state = position(*hands, options={"rounds": 1})
    assert [count_moves(GAME, state, depth) for depth in range(1, len(counts) + 1)] == counts


def test_the_first_moves_of_a_small_deal():
    match = match_of(*SINGLES, options={"rounds": 1})
    assert [match.text(move) for move in match.legal_moves()] == ["play 3N", "play 6N"]
    replies = {"play 3N": ["pass", "play 4N", "play 5N"], "play 6N": ["pass"]}
    assert sum(len(texts) for texts in replies.values()) == 4
    for lead, texts in replies.items():
        twin = match.copy()
        twin.play(lead)
        assert [twin.text(move) for move in twin.legal_moves()] == texts


def test_golden_match_for_two():
    text = playthrough(GAME, GAME.setup(2, {"two_players": True}), seed=1)
    assert text == (Path(__file__).parent / "playthrough-2.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "kind", "strength", "straight", "suits"),
    [
        ("pass", "pass", 0, None, (0, 0)),
        ("play 3N", "single", 1 / 60, None, (0, 0)),
        ("play 2S", "single", 1, None, (0, 0)),
        ("play 9N 9S", "pair", 28 / 60, None, (0, 0)),
        ("play 9N 9L 9S", "triple", 7 / 15, None, (0, 0)),
        ("play 5N 6N 7S 8L 9L", "straight", 3 / 14, 2, (1 / 4, 3 / 4)),
        ("play 1S 2L 3N 4N 5E", "straight", 1, 13, (1, 3 / 4)),
        ("play 2S 3S 4S 5S 6S", "flush", None, 12, (1, 1)),
        ("play 11S 13S 15S 1S 2S", "flush", None, None, (1, 1)),
        ("play 9N 9L 9S 4E 4L", "full", 7 / 15, None, (0, 0)),
        ("play 2N 2E 2L 2S 3S", "four", 1, None, (0, 0)),
    ],
)
def test_features_of_a_move(text, kind, strength, straight, suits):
    move = parse_move(text)
    numbers = np.zeros(MOVE_FEATURES.size, np.float32)
    move_features(move, numbers)
    blocks = {block.name: numbers[block.start : block.start + block.size] for block in MOVE_FEATURES}
    assert {TILE_NAMES[tile] for tile in np.flatnonzero(blocks["tiles"])} == set(text.split()[1:])
    kinds = next(block.meaning for block in MOVE_FEATURES if block.name == "kind")
    assert kinds.removeprefix("one-hot: ").split(";")[0].split(", ")[int(blocks["kind"].argmax())] == kind
    assert blocks["size"] == np.float32(size_of(move) / 5)
    assert strength is None or blocks["strength"] == np.float32(strength)
    assert np.flatnonzero(blocks["straight"]).tolist() == ([] if straight is None else [straight])
    assert blocks["suits"].tolist() == list(suits)


def test_a_stronger_flush_has_the_higher_strength():
    strengths = []
    for text in ("play 3N 4N 5N 6N 8N", "play 3S 4S 5S 6S 8S", "play 3N 4N 5N 6N 2N", "play 14S 13S 15S 1S 2S"):
        numbers = np.zeros(MOVE_FEATURES.size, np.float32)
        move_features(parse_move(text), numbers)
        strengths.append(float(numbers[MOVE_FEATURES.start("strength")]))
    assert strengths == sorted(set(strengths))
