"""A test per clause, named after it."""

import pytest

from tablee import Match, find_game
from tablee.core.errors import IllegalMove
from tablee.testing import assert_conforms, count_moves, random_match

GAME = find_game("new_game")


def with_hands(*hands, **options):
    """Deal a match, then replace the hands by these cards."""
    match = Match(GAME, seats=len(hands), seed=1, options={"hand": len(hands[0]), **options})
    state = match.state
    cards = [card for card in range(1, 21) if card not in {card for hand in hands for card in hand}]
    for seat, hand in enumerate(hands):
        state.hands[seat, : len(hand)] = hand
    state.new_game_stock[: len(cards)] = cards
    assert GAME.kernels.problems(state) == 0
    return Match.from_state(GAME, state)


def test_the_game_conforms_to_the_contract():
    assert_conforms(GAME)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_r1_everyone_is_dealt_as_many_cards_as_agreed(size):
    state = Match(GAME, seats=4, seed=5, options={"hand": size}).state
    assert (state.hands > 0).sum() == 4 * size
    assert (state.new_game_stock > 0).sum() == 20 - 4 * size


def test_r1_hands_are_hidden_from_the_others():
    sight = Match(GAME, seats=2, seed=5).sight(0)
    assert (sight.state.hands[0][:3] > 0).all()
    assert (sight.state.hands[1][:3] == -1).all()


def test_r2_only_a_card_in_hand_can_be_played():
    match = with_hands([1, 5], [2, 3])
    with pytest.raises(IllegalMove, match=r"not in your hand.*R2"):
        match.play("play 2")
    match.play("play 5")
    assert match.to_move == 1


def test_r3_the_highest_card_takes_the_trick_and_leads():
    match = with_hands([1, 5], [2, 7], [3, 4])
    for text in ("play 5", "play 7", "play 3"):
        match.play(text)
    assert match.scores() == [0, 1, 0]
    assert match.to_move == 1


def test_r4_the_lowest_card_takes_the_trick_if_agreed():
    match = with_hands([1, 5], [2, 7], [3, 4], low_wins=True)
    for text in ("play 5", "play 7", "play 3"):
        match.play(text)
    assert match.scores() == [0, 0, 1]


def test_r5_the_most_tricks_win_and_ties_share_the_victory():
    match = with_hands([1, 8], [2, 7])
    for text in ("play 1", "play 2", "play 7", "play 8"):
        match.play(text)
    assert match.outcome is not None
    assert match.outcome.winners == (0, 1)
    with pytest.raises(IllegalMove, match="R5"):
        match.play("play 1")


def test_a_finished_trick_is_drawn_with_its_winner():
    match = with_hands([1, 5], [2, 7], [3, 4])
    for text in ("play 5", "play 7", "play 3", "play 2"):
        match.play(text)
    view = match.round_view(0)
    assert match.finished_rounds() == 1
    assert {piece.id: piece.face for piece in view.zones[0].pieces} == {"trick.0": "5", "trick.1": "7", "trick.2": "3"}
    assert view.prompt == "Trick 1: Player 2 takes it."
    assert [(score.points, score.total) for score in view.round.scores] == [(0, 0), (1, 1), (0, 0)]


def test_move_counts():
    match = Match(GAME, seats=2, seed=1)
    assert [count_moves(GAME, match.state, depth) for depth in range(1, 7)] == [3, 9, 18, 36, 36, 36]


def test_a_random_match_ends_after_all_cards():
    assert len(random_match(GAME, GAME.setup(4)).moves) == 12
