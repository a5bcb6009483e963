"""Checks of views and events, for every viewer in every language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from tablee.core.errors import TableeError
from tablee.core.game import Game, Setup
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import NOBODY, SPECTATOR, copy_state, new_states
from tablee.core.view import COLOURS, ZONE_KINDS, Drawn, Event, View
from tablee.testing.budget import Budget
from tablee.testing.elements import MAX_NAMED
from tablee.testing.nonconformity import Nonconformity, viewer_name
from tablee.testing.positions import random_match, random_positions
from tablee.testing.rulebook import checked_languages

MAX_ROUNDS = 60  # per setup, whose views are checked


def glimpses_fit(game: Game, budget: Budget) -> None:
    """Check that `glimpse` writes only what `see` writes, everything `observe` reads, and works in place."""
    glimpse = game.kernels.glimpse
    for setup, match, _ in _positions(game, budget):
        for seat in {SPECTATOR, match.to_move, match.seats - 1}:
            sight = match.sight(seat)
            over_sight, over_zeros = copy_state(sight.state), new_states(sight.state.dtype, 1)[0]
            glimpse(match.state, seat, over_sight)
            glimpse(match.state, seat, over_zeros)
            if over_sight.tobytes() != sight.to_bytes():
                _raise(game, setup, match, f"`glimpse` for {viewer_name(seat)} writes something else than `see`")
            if Sight(game, seat, over_zeros).observe().tobytes() != sight.observe().tobytes():
                _raise(game, setup, match, f"`observe` for {viewer_name(seat)} reads more than `glimpse` writes")
            if glimpse is not game.kernels.see and _glimpse_in_place(game, match, seat) != sight.observe().tobytes():
                _raise(
                    game,
                    setup,
                    match,
                    f"`glimpse` for {viewer_name(seat)} gives another result if it is written over the state",
                )


def _glimpse_in_place(game: Game, match: Match, seat: int) -> bytes:
    """Return the observation if the glimpse is written over the state itself, as on CUDA."""
    state = copy_state(match.state)
    game.kernels.glimpse(state, seat, state)
    return Sight(game, seat, state).observe().tobytes()


def views_are_valid(game: Game, budget: Budget) -> None:
    """Check that views are JSON with unique ids, known kinds and colours, a prompt, and a choice per legal move."""
    for setup, match, _ in _positions(game, budget):
        for seat in range(SPECTATOR, match.seats):
            for language in checked_languages(game):
                what = _fault_in_view(match, seat, language)
                if what:
                    _raise(game, setup, match, f"the view of {viewer_name(seat)} in {language!r}: {what}")


def round_views_are_valid(game: Game, budget: Budget) -> None:
    """Check that `draw_round` gives a valid view with a summary that fits `scores` and `finished_rounds`."""
    for setup, match, earlier_scores in _rounds(game, budget):
        for seat in range(SPECTATOR, match.seats):
            for language in checked_languages(game):
                what = _fault_in_round_view(match, seat, language, earlier_scores)
                if what:
                    _raise(game, setup, match, f"the round view of {viewer_name(seat)} in {language!r}: {what}")


def moves_are_told(game: Game, budget: Budget) -> None:
    """Check that events are JSON with sentences, for every viewer, and that the mover always gets one."""
    for setup, match, before in _positions(game, budget):
        if before is None:
            continue
        for seat in range(SPECTATOR, match.seats):
            for language in checked_languages(game):
                what = _fault_in_events(match, seat, language)
                if what:
                    _raise(game, setup, match, f"the events for {viewer_name(seat)} in {language!r}: {what}")
        if not match.events(int(before.to_move)):
            _raise(game, setup, match, "the seat that made the move gets no event")


def views_keep_secrets(game: Game, budget: Budget) -> None:
    """Check that two states that look alike to a viewer give the same view and observation."""
    for setup, match, _ in _positions(game, budget):
        generator = _generator(match)
        for seat in range(SPECTATOR, match.seats):
            moves = match.legal_moves() if seat == match.to_move else []
            states = (match.state, _disguised(game, match.state, seat, generator))
            drawn = [_as_json(_draw(game, state, seat, moves)) for state in states]
            if drawn[0] != drawn[1]:
                _raise(game, setup, match, f"the view of {viewer_name(seat)} depends on what is hidden")
            observed = [Sight.of(game, state, seat).observe().tobytes() for state in states]
            if observed[0] != observed[1]:
                _raise(game, setup, match, f"the observation of {viewer_name(seat)} depends on what is hidden")


def round_views_keep_secrets(game: Game, budget: Budget) -> None:
    """Check that a round whose last states look alike to a viewer gives the same view of its end."""
    for setup, match, _ in _rounds(game, budget):
        generator = _generator(match)
        before, move, after = match.last_round_end()
        for seat in range(SPECTATOR, match.seats):
            seen = move if game.kernels.sees_move(before, move, seat) else None
            disguised = [_disguised(game, state, seat, generator) for state in (before, after)]
            ends = ((before, after), disguised)
            drawn = [_as_json(_draw_round(game, old, seen, new, seat)) for old, new in ends]
            if drawn[0] != drawn[1]:
                _raise(game, setup, match, f"the round view of {viewer_name(seat)} depends on what is hidden")


def ids_name_positions(game: Game, budget: Budget) -> None:
    """Check that ids do not change if other cards are in the same positions, and that all viewers share a spectator's.

    An id that names a card would tell it to anyone who is told of the id, and would move where nothing has moved.
    """
    for setup, match, _ in _positions(game, budget):
        twin = _disguised(game, match.state, SPECTATOR, _generator(match))
        public = set(_ids(_draw(game, match.state, SPECTATOR, [])))
        for seat in range(match.seats):
            ids, other_ids = (set(_ids(_draw(game, state, seat, []))) for state in (match.state, twin))
            if ids != other_ids:
                names = ", ".join(sorted(ids ^ other_ids)[:MAX_NAMED])
                _raise(game, setup, match, f"ids for {viewer_name(seat)} change with the cards: {names}")
            if not public <= ids:
                names = ", ".join(sorted(public - ids)[:MAX_NAMED])
                _raise(game, setup, match, f"ids for a spectator that {viewer_name(seat)} does not get: {names}")


def events_keep_secrets(game: Game, budget: Budget) -> None:
    """Check that what a viewer is told follows from its sights and the move, if it may know it.

    Two pairs of states that look alike to the viewer, with the same known move, give the same events.
    """
    for setup, match, before in _positions(game, budget):
        if before is None:
            continue
        generator = _generator(match)
        for seat in range(SPECTATOR, match.seats):
            move = match.moves[-1] if game.kernels.sees_move(before, match.moves[-1], seat) else None
            twin = _disguised(game, before, seat, generator)
            if move is not None and game.kernels.refusal(twin, move):
                continue
            after = _disguised(game, match.state, seat, generator)
            told = [_as_json(_tell(game, old, move, new, seat)) for old, new in ((before, match.state), (twin, after))]
            if told[0] != told[1]:
                _raise(game, setup, match, f"the events for {viewer_name(seat)} depend on what is hidden")


def _positions(game: Game, budget: Budget) -> Iterator[tuple[Setup, Match, Any]]:
    """Yield positions of a random match at each setup, each with the state before the last move.

    At the usual setup, matches are played until there are enough positions: a short game has few, and one end.
    """
    for setup in budget.view_setups(game):
        max_moves = budget.view_moves_at(game, setup)
        length = len(random_match(game, setup, budget.seed, max_moves).moves)
        stride = max(budget.view_stride_at(game, setup), 2 * length // budget.max_view_positions)
        positions = 0
        for stream in range(budget.view_games_at(game, setup)):
            if positions >= budget.max_view_positions // 2:
                break
            before = None
            budget.tried.count(setup, games=1)
            for match in random_positions(game, setup, budget.seed, max_moves, stream):
                if match.is_over or len(match.moves) % stride < 2:
                    positions += 1
                    budget.tried.count(setup, positions=1)
                    yield setup, match, before
                before = copy_state(match.state)


def _rounds(game: Game, budget: Budget) -> Iterator[tuple[Setup, Match, list[int] | None]]:
    """Yield positions of random matches at each setup in which a round has ended.

    With the scores before the last round if it ended just now, else None: one position in the middle of the next
    round is checked too. At the usual setup, short matches are played until MAX_ROUNDS have ended.
    """
    for setup in budget.view_setups(game):
        max_moves, checked = budget.view_moves_at(game, setup), 0
        for stream in range(budget.view_games_at(game, setup)):
            rounds, moves_since = 0, 0
            earlier_scores: list[int] = []
            for match in random_positions(game, setup, budget.seed, max_moves, stream):
                moves_since += 1
                if match.finished_rounds() > rounds:
                    checked += match.finished_rounds() - rounds
                    rounds, moves_since = match.finished_rounds(), 0
                    yield setup, match, earlier_scores
                elif rounds and moves_since == match.seats:
                    yield setup, match, None
                if checked >= MAX_ROUNDS:
                    break
                earlier_scores = match.scores()
            if checked >= MAX_ROUNDS or not match.is_over:  # a long match has been played for as many moves as may be
                break


def _fault_in_view(match: Match, seat: int, language: str) -> str | None:
    """Return what is wrong with a view, None if nothing is."""
    try:
        view = match.view(seat, language)
    except TableeError as why:
        return str(why)
    ids = _ids(view)
    moves = sorted(match.legal_moves()) if seat == match.to_move else []
    faults = {
        "`to_move` is not the seat on turn": view.to_move != match.to_move,
        "it has a round summary, which is for `draw_round`": view.round is not None,
        f"its choices are not exactly the legal moves {moves}": sorted(choice.move for choice in view.choices) != moves,
        "the text of a choice is not that of its move": any(c.text != match.text(c.move) for c in view.choices),
        "the targets of a choice are not in it": any(not set(choice.targets) <= set(ids) for choice in view.choices),
    }
    return _describe_faults(faults | _common_faults(view, match, seat), view)


def _fault_in_round_view(match: Match, seat: int, language: str, earlier_scores: list[int] | None) -> str | None:
    """Return what is wrong with the view of the last round, None if nothing is."""
    try:
        view = match.round_view(seat, language)
    except TableeError as why:
        return str(why)
    if view.round is None:
        return "it has no round summary"
    scores, rounds = match.scores(), match.finished_rounds()
    points = [score.points for score in view.round.scores]
    faults = {
        "`to_move` is not NOBODY": view.to_move != NOBODY,
        "it has choices": view.choices != (),
        f"its round is {view.round.number}, not {rounds}": view.round.number != rounds,
        "its summary does not list every seat in order": [score.seat for score in view.round.scores]
        != list(range(match.seats)),
        f"its totals are not the scores {scores}": [score.total for score in view.round.scores] != scores,
        "its facts do not have the keys of those of `draw`": view.facts.keys()
        != match.view(seat, language).facts.keys(),
    }
    if earlier_scores is not None:
        gained = [now - earlier for now, earlier in zip(scores, earlier_scores, strict=True)]
        faults[f"its points {points} are not the change of the scores {gained}"] = points != gained
    return _describe_faults(faults | _common_faults(view, match, seat), view)


def _common_faults(view: View, match: Match, seat: int) -> dict[str, bool]:
    """Return for each fault that any view can have whether it has it."""
    ids = _ids(view)
    return {
        "it is of another game, viewer or number of seats": (view.game, view.viewer, view.seats)
        != (match.game.name, seat, match.seats),
        f"ids that are not unique: {sorted({i for i in ids if ids.count(i) > 1})}": len(set(ids)) != len(ids),
        f"a kind of zone is not one of {ZONE_KINDS}": any(zone.kind not in ZONE_KINDS for zone in view.zones),
        f"a colour is not one of {COLOURS}": any(
            piece.colour is not None and piece.colour not in COLOURS for zone in view.zones for piece in zone.pieces
        ),
        "something has no label": not all(_labels(view)),
        "the prompt is empty": not view.prompt.strip(),
        "its scores are not those of the game": list(view.scores) != match.scores(),
        "`end` does not fit the end of the game": (view.end is None) == match.is_over,
        "it names other winners": match.outcome is not None and view.winners != match.outcome.winners,
    }


def _describe_faults(faults: dict[str, bool], view: View) -> str | None:
    found = [fault for fault, is_so in faults.items() if is_so]
    return "; ".join(found) or _fault_in_json(view)


def _ids(view: View) -> list[str]:
    return [zone.id for zone in view.zones] + [piece.id for zone in view.zones for piece in zone.pieces]


def _labels(view: View) -> Iterator[str]:
    for zone in view.zones:
        yield zone.label.strip()
        yield from (piece.label.strip() for piece in zone.pieces)
    yield from (choice.label.strip() for choice in view.choices)


def _fault_in_events(match: Match, seat: int, language: str) -> str | None:
    try:
        events = match.events(seat, language)
    except TableeError as why:
        return str(why)
    if not all(event.code.strip() and event.text.strip() for event in events):
        return "an event without code or text"
    return _fault_in_json(events)


def _fault_in_json(values: Any) -> str | None:
    try:
        _as_json(values)
    except (TypeError, ValueError) as why:
        return f"it is not JSON: {why}"
    return None


def _as_json(values: Any) -> str:
    """Return views or events as JSON, several times as fast as by `dataclasses.asdict`."""
    return json.dumps(values, default=_fields, allow_nan=False, sort_keys=True)


def _fields(value: Any) -> dict[str, Any]:
    if not isinstance(value, Drawn):
        raise TypeError(f"{value!r} is of type {type(value).__name__}")
    return msgspec.structs.asdict(value)


def _generator(match: Match) -> Any:
    """Return a generator for disguises that depends on the position alone, so that a position can be checked again."""
    assert match.seed is not None
    return new_generator(match.seed, 1 + len(match.moves))


def _disguised(game: Game, state: Any, seat: int, generator: Any) -> Any:
    twin = copy_state(state)
    game.kernels.disguise(twin, seat, generator)
    return twin


def _draw(game: Game, state: Any, seat: int, moves: list[int]) -> View:
    names = [f"Player {number}" for number in range(int(state.seats))]
    view: View = game.module("view").draw(Sight.of(game, state, seat), moves, game.words("en"), names)
    return view


def _draw_round(game: Game, before: Any, move: int | None, after: Any, seat: int) -> View:
    """Return the view of a round that a move has ended, as `Match.round_view` does."""
    names = [f"Player {number}" for number in range(int(before.seats))]
    sights = Sight.of(game, before, seat), Sight.of(game, after, seat)
    view: View = game.module("view").draw_round(sights[0], move, sights[1], game.words("en"), names)
    return view


def _tell(game: Game, before: Any, move: int | None, after: Any, seat: int) -> list[Event]:
    """Return the events of a move as `Match.events` does."""
    names = [f"Player {number}" for number in range(int(before.seats))]
    sights = Sight.of(game, before, seat), Sight.of(game, after, seat)
    events: list[Event] = game.module("view").tell(sights[0], move, sights[1], game.words("en"), names)
    return events


def _raise(game: Game, setup: Setup, match: Match, what: str) -> None:
    raise Nonconformity(game, what, setup=setup, seed=match.seed, stream=match.stream or None, move=len(match.moves))
