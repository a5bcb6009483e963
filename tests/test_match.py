"""Matches: what they refuse and how they explain it, copies, positions, seeds."""

import numpy as np
import pytest

from tablee import Match, find_game
from tablee.core.errors import BadMove, BadSetup, IllegalMove, TableeError, UnknownGame
from tablee.core.randomness import KEY_BITS
from tablee.core.sight import Sight
from tablee.core.state import TRUTH, copy_state
from tablee.testing import random_match


@pytest.fixture
def match():
    """A match with three seats, each of which has opened two cards."""
    match = Match("skyjo", seats=3, seed=7)
    for _ in range(6):
        match.play(match.legal_moves()[0])
    return match


def finished(seed=1):
    """Return a match that is over."""
    return random_match(find_game("skyjo"), find_game("skyjo").setup(2), seed)


# Moves


def test_an_illegal_move_is_explained_with_its_clause(match):
    with pytest.raises(IllegalMove) as refused:
        match.play("swap b3")
    seat = match.to_move
    reason = "first draw a card or take the one on the discard (R8)"
    assert str(refused.value) == f"illegal move 'swap b3' for seat {seat} at move 7: {reason}"
    assert refused.value.code == "choose_a_pile_first"
    assert refused.value.clause == "R8"


def test_a_refused_move_changes_nothing(match):
    before, moves = match.state.tobytes(), list(match.moves)
    for move in ("swap b3", "no move", 99, -1):
        with pytest.raises(TableeError):
            match.play(move)
    assert match.state.tobytes() == before
    assert match.moves == moves


def test_why_not_answers_in_both_languages(match):
    assert match.why_not("discard") == "first draw a card or take the one on the discard (R8)"
    assert match.why_not("discard", "fr") == "piochez d’abord une carte, ou prenez celle de la défausse (R8)"
    assert match.why_not("draw") is None
    assert match.why_not(0, "fr") is None


def test_an_unknown_language_is_refused(match):
    with pytest.raises(TableeError, match="there is no language 'de'"):
        match.why_not("discard", "de")


def test_moves_are_given_by_text_or_number(match):
    twin = match.copy()
    match.play("draw")
    twin.play(twin.parse("draw"))
    twin.play(np.int32(twin.legal_moves()[0]))
    match.play(" DISCARD ")
    assert match.digest() == twin.digest()
    assert match.moves == twin.moves
    assert all(type(move) is int for move in twin.moves)


def test_text_and_parse_are_inverse(match):
    assert [match.parse(match.text(move)) for move in range(match.game.moves)] == list(range(match.game.moves))


@pytest.mark.parametrize("move", [-1, 27, 1000])
def test_a_number_outside_the_range_of_moves_is_refused(match, move):
    for method in (match.play, match.text, match.why_not):
        with pytest.raises(BadMove, match=f"skyjo has no move {move}; they are numbered 0 to 26"):
            method(move)


def test_an_unknown_text_is_refused_with_a_suggestion(match):
    with pytest.raises(BadMove, match="no move 'darw'; did you mean 'draw'"):
        match.play("darw")


def test_after_the_end_every_move_is_refused():
    over = finished()
    assert over.legal_moves() == []
    with pytest.raises(
        IllegalMove, match=rf"illegal move 'draw' at move {len(over.moves) + 1}: the game is over \(R21\)"
    ):
        over.play("draw")


# Setting up


def test_an_unknown_game_is_refused_with_a_suggestion():
    with pytest.raises(UnknownGame, match="no game 'skijo'; did you mean 'skyjo'"):
        Match("skijo")


def test_an_unknown_option_is_refused_with_a_suggestion():
    with pytest.raises(BadSetup, match="skyjo has no option 'row'; did you mean 'rows'"):
        Match("skyjo", options={"row": True})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rows": "maybe"}, "option 'rows' cannot be maybe; it is one of off, on"),
        ({"rows": 1}, "option 'rows' cannot be 1; it is one of off, on"),
        ({"start": "me"}, "option 'start' cannot be me; it is one of ender, highest_sum"),
        ({"stall_turns": 21}, "option 'stall_turns' cannot be 21; it is one of 1, 5, 10, 20, 50"),
    ],
)
def test_an_impossible_value_of_an_option_is_refused(options, sentence):
    with pytest.raises(BadSetup, match=sentence):
        Match("skyjo", options=options)


@pytest.mark.parametrize("seats", [0, 1, 9, -3])
def test_too_few_or_many_seats_are_refused(seats):
    with pytest.raises(BadSetup, match=f"skyjo cannot be played by {seats}: it is for 2 to 8"):
        Match("skyjo", seats=seats)


@pytest.mark.parametrize("seed", [-1, 2**KEY_BITS])
def test_a_seed_outside_the_range_is_refused(seed):
    with pytest.raises(BadSetup, match="a seed is a whole number from 0 to"):
        Match("skyjo", seed=seed)


def test_there_must_be_a_name_per_seat():
    with pytest.raises(BadSetup, match="2 names for 3 seats"):
        Match("skyjo", seats=3, players=["Ana", "Ben"])


def test_names_are_used_in_events():
    match = Match("skyjo", seats=2, seed=1, players=["Ana", "Ben"])
    match.play("flip a1")
    assert match.events(1)[0].text == "Ana turns up a card."
    assert Match("skyjo", seats=2).names("fr") == ["Joueur 1", "Joueur 2"]


def test_defaults_are_filled_in():
    match = Match("skyjo")
    assert match.seats == match.game.usual_seats
    assert match.setup.options == {option.name: option.default for option in match.game.options}
    assert Match("skyjo", options={"rows": True}).setup.options["rows"] is True


# Seeds


def test_the_same_seed_gives_the_same_deal():
    assert Match("skyjo", seed=5).digest() == Match("skyjo", seed=5).digest()
    deals = {Match("skyjo", seed=seed, stream=stream).state.grid.tobytes() for seed in range(5) for stream in range(5)}
    assert len(deals) == 25


def test_without_a_seed_the_deal_is_random_and_its_seed_is_kept():
    first, second = Match("skyjo"), Match("skyjo")
    assert first.seed != second.seed
    assert Match("skyjo", seed=first.seed).digest() == first.digest()


# Copies and positions


def test_the_match_after_a_move_leaves_the_one_before_it_as_it_was(match):
    digest, moves = match.digest(), list(match.moves)
    for move in match.legal_moves():
        played = match.copy()
        played.push(move)
        after = match.after(move)
        assert (after.digest(), after.moves, after.events(0)) == (played.digest(), played.moves, played.events(0))
    assert (match.digest(), match.moves) == (digest, moves)


def test_a_copy_is_independent(match):
    before = match.digest()
    twin = match.copy()
    assert twin.digest() == before
    assert twin.moves == match.moves
    assert (twin.seed, twin.stream, twin.players) == (match.seed, match.stream, match.players)
    twin.play("take")
    assert match.digest() == before
    assert len(match.moves) == len(twin.moves) - 1
    match.play("draw")
    assert match.digest() != twin.digest()


def test_a_copy_remembers_the_last_move(match):
    assert [event.text for event in match.copy().events(0)] == [event.text for event in match.events(0)]


def test_a_match_can_start_from_any_position(match):
    state = copy_state(match.state)
    again = Match.from_state("skyjo", state, players=["Ana", "Ben", "Chloé"])
    assert again.digest() == match.digest()
    assert again.setup == match.setup
    assert (again.seed, again.moves, again.events(0)) == (None, [], [])
    again.play("take")
    assert state.tobytes() == match.state.tobytes(), "a copy was taken"


def test_from_state_reads_the_options_of_the_state():
    options = {"rows": True, "start": "highest_sum", "stall_turns": 5}
    match = Match("skyjo", seats=5, options=options)
    assert Match.from_state("skyjo", match.state).setup == match.setup


# Sights, views and events


def test_a_sight_is_never_the_full_state(match):
    assert match.state.viewer == TRUTH
    for seat in range(-1, 3):
        assert match.sight(seat).state.viewer == seat
    with pytest.raises(TableeError, match="there is no seat 3 at a table of 3"):
        match.sight(3)
    with pytest.raises(TableeError, match="not what seat 0 knows"):
        Sight(match.game, 0, match.state)


def test_a_sight_cannot_be_written(match):
    with pytest.raises(ValueError, match="read-only"):
        match.sight(0).state.grid[0, 0] = 1


def test_only_the_seat_to_move_gets_choices(match):
    for seat in range(-1, 3):
        choices = [choice.move for choice in match.view(seat).choices]
        assert choices == (match.legal_moves() if seat == match.to_move else [])


def test_events_depend_on_what_a_seat_knew():
    match = Match("skyjo", seats=2, seed=3)
    assert match.events(0) == []
    match.play("flip c2")
    assert [event.code for event in match.events(0)] == ["opened"]
    assert [event.code for event in match.events(1)] == ["opened_unseen"]


# The end


def test_an_outcome_holds_the_winners_and_the_reason(match):
    assert match.outcome is None
    over = finished()
    outcome = over.outcome
    assert over.is_over
    assert over.to_move == -1
    assert outcome.reason in [reason.key for reason in over.game.kernels.end_reasons]
    assert outcome.scores == tuple(over.scores())
    assert [outcome.scores[seat] for seat in outcome.winners] == [min(outcome.scores)] * len(outcome.winners)
    assert outcome.ranks[outcome.winners[0]] == 1
    assert over.view(0).end
    assert over.view(0).winners == outcome.winners
