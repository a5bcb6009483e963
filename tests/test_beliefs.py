"""Beliefs: against all deals of reduced games, exact where a game counts, and never more than a seat knows."""

from math import log, sqrt

import msgspec
import pytest

from reduced_worlds import enumerate_worlds, hidden_pieces, piece_probabilities, positions, zone_probabilities
from seeds import BASE_SEED
from tablee import Match, all_games, find_game
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.core.words import common
from tablee.review.beliefs import count_beliefs, find_beliefs, imagine_beliefs
from tablee.server.replays import show_beliefs
from tablee.terminal.coaching import TableBeliefs

REDUCED = [(game, reduction.name) for game in all_games() for reduction in game.reductions if reduction.deals <= 60]
every_reduction = pytest.mark.parametrize(("game", "reduction"), REDUCED, ids=[f"{g.name}-{r}" for g, r in REDUCED])
every_game = pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
POSITIONS = 4
WORLDS = 60
FALSE_ALARM = 1e-5  # of the whole module


def found_of(beliefs):
    return {belief.id: {possible.face: possible.probability for possible in belief.possibilities} for belief in beliefs}


def names_of(sight):
    return [str(seat) for seat in range(sight.seats)]


@every_reduction
def test_what_a_game_counts_is_what_the_deals_say(game, reduction):
    for position in positions(game, reduction, POSITIONS, BASE_SEED):
        counted = count_beliefs(position.sight, game.words("en"), names_of(position.sight))
        assert counted is not None
        assert counted.is_exact
        for found, exact in (
            (counted.pieces, piece_probabilities(position)),
            (counted.zones, zone_probabilities(position)),
        ):
            assert found_of(found).keys() == exact.keys()
            for name, faces in found_of(found).items():
                assert faces == pytest.approx(exact[name], abs=1e-9)
        assert all(possible.error == 0 for belief in counted.pieces for possible in belief.possibilities)


@every_reduction
def test_imagined_worlds_say_what_the_deals_say(game, reduction):
    """Shares lie between 0 and 1, so Hoeffding's inequality limits how far their means are off."""
    comparisons = 200 * POSITIONS * len(REDUCED)  # more than there are
    limit = sqrt(log(2 * comparisons / FALSE_ALARM) / (2 * WORLDS))
    for number, position in enumerate(positions(game, reduction, POSITIONS, BASE_SEED)):
        words, names = game.words("en"), names_of(position.sight)
        beliefs = imagine_beliefs(position.sight, WORLDS, new_generator(BASE_SEED, number), words, names)
        for found, exact in (
            (beliefs.pieces, piece_probabilities(position)),
            (beliefs.zones, zone_probabilities(position)),
        ):
            for name, faces in found_of(found).items():
                assert faces.keys() <= exact[name].keys()
                for face, probability in exact[name].items():
                    assert abs(faces.get(face, 0.0) - probability) < limit


def test_a_hand_in_a_fan_has_no_order():
    """The tiles of a rack are stored weak to strong, which nobody sees on their backs."""
    game = find_game("lexio")
    match = Match(game, seed=1)
    found = imagine_beliefs(match.sight(0), 40, new_generator(1), game.words("en"), match.names("en"))
    rack = [belief.possibilities for belief in found.pieces if belief.id.startswith("seat1.")]
    assert len(rack) > 5
    assert all(possibilities == rack[0] for possibilities in rack)


def test_a_reshuffled_pile_is_not_counted():
    game = find_game("skip_bo")
    match = Match(game, seed=1)
    sight = match.sight(0)
    assert count_beliefs(sight, game.words("en"), match.names("en")) is not None
    reshuffled = copy_state(match.state)
    reshuffled.pile_number = 1
    assert count_beliefs(Sight.of(game, reshuffled, 0), game.words("en"), match.names("en")) is None


@every_game
def test_counted_pieces_are_the_hidden_ones_all_game_long(game):
    match, ways = Match(game, seed=BASE_SEED), set()
    for number in range(200):
        if match.is_over:
            break
        if number % 19 == 0:
            sight = match.sight(number % (match.seats + 1) - 1)  # a spectator too
            found = find_beliefs(sight, 2, new_generator(number), game.words("en"), match.names("en"))
            ways.add(found.is_exact)
            if found.is_exact:
                assert {belief.id for belief in found.pieces} == hidden_pieces(sight)
            for belief in found.pieces:
                assert sum(possible.probability for possible in belief.possibilities) == pytest.approx(1)
        match.push(match.legal_moves()[(7 * number) % len(match.legal_moves())])
    assert True in ways


@every_game
def test_positions_that_look_alike_give_the_same_bytes(game):
    match = Match(game, seed=BASE_SEED)
    for number in range(40):
        if match.is_over:
            break
        if number % 13 == 0:
            for seat in range(-1, match.seats):
                disguised = copy_state(match.state)
                game.kernels.disguise(disguised, seat, new_generator(number + 1))
                sights = [Sight.of(game, state, seat) for state in (match.state, disguised)]
                assert sights[0] == sights[1]
                shown = [msgspec.json.encode(show_beliefs(sight, "fr", match.names("fr"), 3)) for sight in sights]
                assert shown[0] == shown[1]
        match.push(match.legal_moves()[(5 * number) % len(match.legal_moves())])


def test_errors_are_told_in_the_terminal_unless_counted():
    game = find_game("skyjo")
    match = Match(game, seed=1)
    arguments = game.words("en"), match.names("en")
    counted = TableBeliefs.of(count_beliefs(match.sight(0), *arguments))
    imagined = TableBeliefs.of(imagine_beliefs(match.sight(0), 30, new_generator(1), *arguments))
    assert "Counted from what you can see." in counted.markdown(common("en"))
    assert "±" not in counted.markdown(common("en"))
    assert "30 imagined deals" in imagined.markdown(common("en"))
    assert "±" in imagined.pieces[0].in_words()


def test_the_deals_that_look_alike_are_enumerated():
    """The other seat's hidden card and the draw pile: five unseen cards, two of them equal twice."""
    match = Match.from_deal("skyjo", "tiny", 0)
    found = enumerate_worlds(match.sight(0), "tiny", 30, [])
    assert len(found.worlds) == 30
    assert sum(probability for _, probability in found.worlds) == pytest.approx(1)
