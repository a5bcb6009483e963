"""A test per clause, named after it."""

import pytest

from tablee import Match, find_game
from tablee.core.errors import IllegalMove
from tablee.testing import assert_conforms, count_moves, random_positions

GAME = find_game("liars_dice")


def with_dice(*dice, **options):
    """Deal a match, then put these dice under the cups."""
    match = Match(GAME, seats=len(dice), seed=1, options=options)
    match.state.dice[:] = 0
    for seat, faces in enumerate(dice):
        match.state.dice_left[seat] = len(faces)
        match.state.dice[seat, : len(faces)] = sorted(faces)
    match.state.lost_dice = len(dice) * match.setup.options["dice"] - sum(map(len, dice))
    assert GAME.kernels.problems(match.state) == 0
    return match


def play(match, *texts):
    for text in texts:
        match.play(text)
    return match


def test_the_game_conforms_to_the_contract():
    assert_conforms(GAME)


@pytest.mark.parametrize("dice", [2, 3, 5])
def test_r1_everyone_begins_with_as_many_dice_as_agreed(dice):
    assert Match(GAME, seats=4, options={"dice": dice}).scores() == [dice] * 4


def test_r2_all_dice_are_rolled_in_secret_and_the_first_player_bids():
    match = Match(GAME, seats=3, seed=7)
    assert match.to_move == 0
    assert ((match.state.dice[:3] >= 1) & (match.state.dice[:3] <= 6)).all()
    sight = match.sight(1).state.dice
    assert (sight[1] == match.state.dice[1]).all()
    assert (sight[0] == -1).all()
    assert (sight[2] == -1).all()


def test_r2_all_dice_are_rolled_again_in_each_round():
    match = with_dice([2, 2, 2, 2], [3, 3, 3, 3])
    play(match, "bid 1x2", "doubt")
    assert match.state.dice[0].tolist() != [2, 2, 2, 2, 0]


@pytest.mark.parametrize("higher", ["bid 3x5", "bid 4x1"])
def test_r3_a_higher_bid_has_more_dice_or_a_higher_face(higher):
    assert play(with_dice([1, 1], [2, 2]), "bid 3x4", higher).to_move == 0


@pytest.mark.parametrize("lower", ["bid 3x4", "bid 3x3", "bid 2x6"])
def test_r3_a_bid_that_is_not_higher_is_refused(lower):
    with pytest.raises(IllegalMove, match=r"must be higher.*R3"):
        play(with_dice([1, 1], [2, 2]), "bid 3x4", lower)


def test_r3_no_bid_names_more_dice_than_there_are():
    match = with_dice([1, 1], [2, 2])
    with pytest.raises(IllegalMove, match=r"not that many dice.*R3"):
        match.play("bid 5x1")
    match.play("bid 4x6")
    assert [match.text(move) for move in match.legal_moves()] == ["doubt"]


def test_r4_the_first_bid_of_a_round_cannot_be_a_doubt():
    with pytest.raises(IllegalMove, match=r"no bid to doubt.*R4"):
        with_dice([1, 1], [2, 2]).play("doubt")


@pytest.mark.parametrize(("bid", "left"), [("bid 2x5", [3, 2, 3]), ("bid 3x5", [2, 3, 3])])
def test_r5_the_bidder_or_the_doubter_loses_a_die(bid, left):
    match = with_dice([5, 3, 3], [2, 2, 2], [5, 4, 4])
    assert play(match, bid, "doubt").scores() == left


def test_r5_the_dice_of_the_round_are_shown():
    match = play(with_dice([5, 3], [2, 4]), "bid 1x5", "doubt")
    zones = {zone.id: zone for zone in match.round_view(1).zones}
    assert [piece.face for piece in zones["seat0"].pieces] == ["3", "5"]
    assert [piece.face for piece in zones["bid"].pieces] == ["1×", "5"]
    assert match.round_view(1).prompt == "Bid 1 × 5, found 1. Player 2 loses a die."


@pytest.mark.parametrize(("is_wild", "left"), [(True, [3, 2]), (False, [2, 3])])
def test_r6_ones_count_as_every_face(is_wild, left):
    match = with_dice([1, 5, 3], [2, 2, 1], wild_ones=is_wild)
    assert play(match, "bid 3x5", "doubt").scores() == left


def test_r7_the_loser_bids_first():
    match = play(with_dice([5, 3], [2, 2], [4, 4]), "bid 1x5", "doubt")
    assert match.to_move == 1
    match = play(with_dice([5, 3], [2, 2], [4, 4]), "bid 2x5", "doubt")
    assert match.to_move == 0


def test_r7_a_player_without_dice_is_out_and_the_next_one_bids_first():
    match = play(with_dice([5, 3], [2], [4, 4]), "bid 1x5", "doubt")
    assert match.scores() == [2, 0, 2]
    assert match.to_move == 2
    assert play(match, "bid 1x2").to_move == 0
    assert [event.text for event in match.events(0)] == ["Player 3 bids 1 × 2."]
    assert play(match, "bid 1x3").to_move == 2


def test_r8_the_last_player_with_dice_wins():
    match = play(with_dice([5], [2], [4]), "bid 1x5", "doubt")  # seat 1 is out
    match.state.dice[:] = 0
    match.state.dice[0, 0], match.state.dice[2, 0] = 5, 4
    play(match, "bid 1x5", "doubt")
    assert match.outcome is not None
    assert match.outcome.winners == (2,)
    assert list(match.outcome.ranks) == [2, 3, 1]
    with pytest.raises(IllegalMove, match="R8"):
        match.play("doubt")


def test_a_doubt_is_told_with_what_it_showed():
    match = play(with_dice([5, 3], [2]), "bid 1x5", "doubt")
    assert [event.text for event in match.events(0)] == [
        "Player 2 doubts the bid of Player 1.",
        "Bid 1 × 5, found 1.",
        "Player 2 loses a die.",
        "Player 2 is out of the game.",
    ]


def test_move_counts():
    match = Match(GAME, seats=2, seed=1, options={"dice": 2})
    assert [count_moves(GAME, match.state, depth) for depth in (1, 2)] == [24, 24 * 23 // 2 + 24]


def test_the_longest_game_is_within_the_limit():
    """Each round of n dice has at most 6 n bids and a doubt."""
    assert sum(6 * dice + 1 for dice in range(2, 21)) == GAME.max_game_length


def test_a_game_has_a_round_per_die_lost():
    *_, last = random_positions(GAME, GAME.setup(3), seed=3)
    assert last.is_over
    assert last.finished_rounds() == 15 - max(last.scores())
