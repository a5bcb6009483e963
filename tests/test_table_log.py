"""What is told of a table: names, the log, explanations, and a match that goes on at one."""

import random
from dataclasses import replace

import pytest

from played_tables import ANA, BEN, EVE, SECRETS, Played, log_of, skyjo
from tablee import Match, all_games
from tablee.core.languages import languages
from tablee.core.view import Choice, Piece, View, Zone
from tablee.tables.commands import (
    Claim,
    Pause,
    Play,
    Rename,
    Undo,
)
from tablee.tables.creation import SeatedBot, TableRequest
from tablee.tables.evolution import rebuild_table
from tablee.tables.explanations import explain, meant_move
from tablee.tables.forks import continue_match
from tablee.tables.log import build_log
from tablee.tables.presentation import table_shown

# Names


def test_a_rename_changes_the_name_and_nothing_else():
    played = skyjo(clock=60)
    actor = played.on_turn()
    played.do(Play(played.first_move(), played.table.number), actor)
    before = played.table
    zoe = replace(actor, name="Zoé")
    assert played.do(Rename(), zoe) == ["renamed"]
    seat = before.seat_of(actor.person)
    assert played.table.seats[seat].name == played.table.match.names()[seat] == "Zoé"
    assert (played.table.deadline, played.table.on_turn) == (before.deadline, before.on_turn)
    assert played.table.match.digest() == before.match.digest()
    assert played.table.before.names()[seat] == "Zoé"  # the last move can still be undone
    assert played.refuses(Rename(), zoe).code == "nothing_to_do"
    assert played.refuses(Rename(), EVE).code == "not_seated"


def test_a_renamed_player_has_one_name_in_the_whole_log_and_no_name_twice():
    played = skyjo()
    for _ in range(4):
        actor = played.on_turn()
        played.do(Play(played.first_move(), played.table.number), actor)
    assert played.do(Rename(), replace(ANA, name="Ben")) == ["renamed"]
    text = " ".join(line.text for line in log_of(played))
    assert "Ben 2" in text
    assert "Ana" not in text
    assert rebuild_table("t", played.events).seats == played.table.seats


# The log


def test_the_log_has_every_event_once_and_loses_undone_moves():
    played = skyjo()
    actor = played.on_turn()
    played.play("take")
    kept = log_of(played)
    assert [line.number for line in kept] == sorted(line.number for line in kept)
    assert [line.move for line in kept if line.number == played.table.number] == [1]
    played.do(Undo(), actor)
    undone = log_of(played)
    assert all(line.move is None for line in undone)
    assert undone[-1].code == "table.undone"
    played.play("draw")
    assert log_of(played)[-1].move == 1
    assert {line.text for line in log_of(played, language="fr")}.isdisjoint(line.text for line in log_of(played))


def test_log_pages_join_without_gaps():
    played = skyjo()
    for _ in range(12):
        played.play()
    log = build_log("t", played.events, 0, "en")
    whole, pages, before = log.page(1000), [], None
    while before != 0:
        page = log.page(5, before)
        assert page.total == whole.total
        pages, before = [*page.lines, *pages], page.first
    assert tuple(pages) == whole.lines
    assert log.page(5, 0).lines == ()


def test_an_early_choice_is_in_the_log_of_its_player_only():
    played = Played(TableRequest("skyjo", seats=2))
    played.do(Claim(None, "invite"), BEN)
    waiting = BEN if played.on_turn() == ANA else ANA
    seat = played.table.seat_of(waiting.person)
    played.do(Play("flip a1", played.table.number), waiting)
    assert [log_of(played, viewer)[-1].code for viewer in (seat, 1 - seat, -1)] == [
        "table.queued",
        "table.started",
        "table.started",
    ]


# Explanations


def test_an_explanation_of_a_move_says_what_playing_it_would():
    played = skyjo()
    seat = played.table.on_turn
    refused = played.refuses(Play("swap b3", played.table.number), played.on_turn())
    for language in languages():
        explained = explain(played.table, seat, [], "swap b3", language)
        assert explained == (refused.text(language), refused.clause)
    assert explain(played.table, seat, [], "draw", "en").clause is None
    assert "possible" in explain(played.table, seat, [], "draw", "en").text
    assert "fly" in explain(played.table, seat, [], "fly away", "en").text
    assert explain(played.table, 1 - seat, [], "draw", "en").text == "It is Ana's turn." or seat == 1
    assert explain(played.table, -1, [], "draw", "en").text
    played.do(Pause())
    assert explain(played.table, seat, [], "draw", "en").text == "The game is paused."


def test_an_explanation_of_what_was_touched_finds_the_move_that_was_meant():
    played = skyjo()
    seat = played.table.on_turn
    view = table_shown(played.table, seat, "en").view
    pile = next(choice.targets[0] for choice in view.choices if choice.text == "draw")
    played.play("draw")
    view = table_shown(played.table, seat, "en").view
    assert meant_move(view, [pile]) is None  # nothing like it is possible now, but it was before
    explained = explain(played.table, seat, [pile], "", "en")
    assert explained.clause == played.refuses(Play("draw", played.table.number), played.on_turn()).clause
    assert view.prompt in explain(played.table, seat, ["nowhere"], "", "en").text
    assert view.prompt in explain(played.table, seat, [], "", "en").text


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_touching_anything_is_explained_and_plays_nothing(game):
    seats = 3 if 3 in game.seats else game.usual_seats
    played = Played(TableRequest(game.name, seats=seats, bots=["random"] * (seats - 2)))
    played.do(Claim(None, "invite"), BEN)
    generator = random.Random(game.name)
    clauses = set()
    for _ in range(12):
        if played.table.phase != "playing":
            break
        digest, number = played.table.match.digest(), played.table.number
        for seat in (0, 1):
            view = table_shown(played.table, seat, "en").view
            ids = [identity for zone in view.zones for identity in (zone.id, *(piece.id for piece in zone.pieces))]
            for targets in ([generator.choice(ids)] for _ in range(4)):
                explained = explain(played.table, seat, targets, "", "en")
                assert explained.text
                clauses.add(explained.clause)
        assert (played.table.match.digest(), played.table.number) == (digest, number)
        played.play(played.table.match.text(generator.choice(played.table.match.legal_moves())))


def test_meant_moves_put_the_touched_name_into_a_similar_choice():
    grid = Zone("seat0", "grid", "", (Piece("seat0.a1", ""), Piece("seat0.a2", ""), Piece("seat0.a3", "")))
    hand = Zone("hand", "fan", "", (Piece("hand.5", ""), Piece("hand.6", "")))
    choices = (Choice(1, "flip a1", "", ("seat0.a1",)), Choice(2, "swap 5 a2", "", ("hand.5", "seat0.a2")))
    view = View("game", 0, 2, 0, "", (grid, hand), (0, 0), choices)
    assert meant_move(view, ["seat0.a3"]) == "flip a3"
    assert meant_move(view, ["hand.5", "seat0.a3"]) == "swap 5 a3"
    assert meant_move(view, ["hand.6"]) is None  # a card in a hand has no name of its own
    assert meant_move(view, ["hand.6", "seat0.a3"]) is None
    assert meant_move(view, ["seat0"]) is None
    assert meant_move(view, []) is None


# Continuing a match


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_a_match_continues_at_a_table(game):
    match = Match(game, seed=3)
    for _ in range(3):
        match.play(match.legal_moves()[0])
    players = [(seat, ANA if seat == 0 else SeatedBot("random", f"Bot {seat}")) for seat in range(match.seats)]
    for given in (match, Match.from_state(game, match.state)):
        events, table = continue_match("t", given, players, SECRETS, 1.0)
        assert table.match.digest() == match.digest()
        assert table.phase == "playing"
        assert rebuild_table("t", events).match.digest() == match.digest()
        assert len([line for line in build_log("t", events, 0, "en").page(99).lines if line.move]) >= len(given.moves)
