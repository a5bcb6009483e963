"""Checks of what is drawn and told, for every viewer in every language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from tablee.core.errors import TableeError
from tablee.core.game import Game, Setup
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR, copy_state, new_states
from tablee.core.view import COLOURS, ZONE_KINDS, Event, View
from tablee.testing.budget import Budget
from tablee.testing.nonconformity import Nonconformity, who
from tablee.testing.positions import random_match, random_positions
from tablee.testing.rulebook import checked_languages

SEED = 5
MAX_PICTURES = 100  # at one setup, in pairs that follow each other: long games are looked at in fewer positions


def glimpses_fit(game: Game, budget: Budget) -> None:
    """Check that `glimpse` writes nothing but what `see` writes, all that `observe` reads, and also in place."""
    glimpse = game.kernels.glimpse
    for setup, match, _ in _pictures(game, budget):
        for seat in {SPECTATOR, match.to_move, match.seats - 1}:
            sight = match.sight(seat)
            twice, alone = copy_state(sight.state), new_states(sight.state.dtype, 1)[0]
            glimpse(match.state, seat, twice)
            glimpse(match.state, seat, alone)
            if twice.tobytes() != sight.to_bytes():
                _raise(game, setup, match, f"the glimpse of {who(seat)} is not a part of what he sees")
            if Sight(game, seat, alone).observe().tobytes() != sight.observe().tobytes():
                _raise(game, setup, match, f"`observe` reads more than the glimpse of {who(seat)}")
            if glimpse is not game.kernels.see and _glimpse_in_place(game, match, seat) != sight.observe().tobytes():
                _raise(game, setup, match, f"the glimpse of {who(seat)} is another when it is written over the state")


def _glimpse_in_place(game: Game, match: Match, seat: int) -> bytes:
    """Return what is observed where the state itself becomes the glimpse, as on CUDA."""
    state = copy_state(match.state)
    game.kernels.glimpse(state, seat, state)
    return Sight(game, seat, state).observe().tobytes()


def views_are_whole(game: Game, budget: Budget) -> None:
    """Check that views are JSON with unique ids, known kinds and colours, a prompt, and the legal moves as choices."""
    for setup, match, _ in _pictures(game, budget):
        for seat in range(SPECTATOR, match.seats):
            for language in checked_languages(game):
                what = _fault_of_view(match, seat, language)
                if what:
                    _raise(game, setup, match, f"the view of {who(seat)} in {language!r}: {what}")


def moves_are_told(game: Game, budget: Budget) -> None:
    """Check that events are JSON with sentences, for every viewer, and a mover always gets one."""
    for setup, match, before in _pictures(game, budget):
        if before is None:
            continue
        for seat in range(SPECTATOR, match.seats):
            for language in checked_languages(game):
                what = _fault_of_events(match, seat, language)
                if what:
                    _raise(game, setup, match, f"the events for {who(seat)} in {language!r}: {what}")
        if not match.events(int(before.to_move)):
            _raise(game, setup, match, "the mover gets no event of his own move")


def views_keep_secrets(game: Game, budget: Budget) -> None:
    """Check that views and observations are the same bytes for two records that look the same to their viewer."""
    generator = new_generator(SEED, 1)
    for setup, match, _ in _pictures(game, budget):
        for seat in range(SPECTATOR, match.seats):
            moves = match.legal_moves() if seat == match.to_move else []
            states = (match.state, _disguised(game, match.state, seat, generator))
            drawn = [_as_json(_draw(game, state, seat, moves).as_dict()) for state in states]
            if drawn[0] != drawn[1]:
                _raise(game, setup, match, f"the view of {who(seat)} gives away what is hidden")
            observed = [Sight.of(game, state, seat).observe().tobytes() for state in states]
            if observed[0] != observed[1]:
                _raise(game, setup, match, f"the observation of {who(seat)} gives away what is hidden")


def events_keep_secrets(game: Game, budget: Budget) -> None:
    """Check that events are the same bytes for two pairs of records that look the same to their viewer."""
    generator = new_generator(SEED, 2)
    for setup, match, before in _pictures(game, budget):
        if before is None:
            continue
        move = match.moves[-1]
        for seat in range(SPECTATOR, match.seats):
            twin = _disguised(game, before, seat, generator)
            if game.kernels.refusal(twin, move):
                continue
            after = _disguised(game, match.state, seat, generator)
            told = [
                _as_json([asdict(event) for event in _tell(game, old, move, new, seat)])
                for old, new in ((before, match.state), (twin, after))
            ]
            if told[0] != told[1]:
                _raise(game, setup, match, f"the events for {who(seat)} give away what is hidden")


def _pictures(game: Game, budget: Budget) -> Iterator[tuple[Setup, Match, Any]]:
    """Yield positions of a random match at each setup, each with the record before the last move."""
    for setup in budget.drawn_setups(game):
        most = budget.moves_at(game, setup)
        length = len(random_match(game, setup, SEED, most).moves)
        stride = max(budget.picture_stride_at(game, setup), 2 * length // MAX_PICTURES)
        before = None
        for match in random_positions(game, setup, SEED, most):
            if match.is_over or len(match.moves) % stride < 2:
                yield setup, match, before
            before = copy_state(match.state)


def _fault_of_view(match: Match, seat: int, language: str) -> str | None:
    """Say what is wrong with a view, None if nothing is."""
    try:
        view = match.view(seat, language)
    except TableeError as why:
        return str(why)
    ids = [zone.id for zone in view.zones] + [piece.id for zone in view.zones for piece in zone.pieces]
    moves = sorted(match.legal_moves()) if seat == match.to_move else []
    faults = {
        "it is of another game, viewer or turn": (view.game, view.viewer, view.seats, view.to_move)
        != (match.game.name, seat, match.seats, match.to_move),
        f"ids that are not unique: {sorted({i for i in ids if ids.count(i) > 1})}": len(set(ids)) != len(ids),
        f"its choices are not exactly the legal moves {moves}": sorted(choice.move for choice in view.choices) != moves,
        "the text of a choice is not that of its move": any(c.text != match.text(c.move) for c in view.choices),
        "the targets of a choice are not in it": any(not set(choice.targets) <= set(ids) for choice in view.choices),
        f"a kind of zone is not one of {ZONE_KINDS}": any(zone.kind not in ZONE_KINDS for zone in view.zones),
        f"a colour is not one of {COLOURS}": any(
            piece.colour is not None and piece.colour not in COLOURS for zone in view.zones for piece in zone.pieces
        ),
        "something has no label": not all(_labels(view)),
        "the prompt is empty": not view.prompt.strip(),
        "it has not a score per seat": len(view.scores) != match.seats,
        "it says otherwise whether the game is over": (view.end is None) == match.is_over,
        "it names other winners": match.outcome is not None and view.winners != match.outcome.winners,
    }
    wrong = [fault for fault, is_so in faults.items() if is_so]
    return "; ".join(wrong) or _fault_of_json(view.as_dict())


def _labels(view: View) -> Iterator[str]:
    for zone in view.zones:
        yield zone.label.strip()
        yield from (piece.label.strip() for piece in zone.pieces)
    yield from (choice.label.strip() for choice in view.choices)


def _fault_of_events(match: Match, seat: int, language: str) -> str | None:
    try:
        events = match.events(seat, language)
    except TableeError as why:
        return str(why)
    if not all(event.code.strip() and event.text.strip() for event in events):
        return "an event without code or text"
    return _fault_of_json([asdict(event) for event in events])


def _fault_of_json(values: Any) -> str | None:
    try:
        _as_json(values)
    except (TypeError, ValueError) as why:
        return f"it is not JSON: {why}"
    return None


def _as_json(values: Any) -> str:
    return json.dumps(values, allow_nan=False, sort_keys=True)


def _disguised(game: Game, state: Any, seat: int, generator: Any) -> Any:
    twin = copy_state(state)
    game.kernels.disguise(twin, seat, generator)
    return twin


def _draw(game: Game, state: Any, seat: int, moves: list[int]) -> View:
    names = [f"Player {number}" for number in range(int(state.seats))]
    view: View = game.module("view").draw(Sight.of(game, state, seat), moves, game.words("en"), names)
    return view


def _tell(game: Game, before: Any, move: int, after: Any, seat: int) -> list[Event]:
    """Tell a move as `Match.events` does."""
    names = [f"Player {number}" for number in range(int(before.seats))]
    known = move if game.kernels.sees_move(before, move, seat) else None
    sights = Sight.of(game, before, seat), Sight.of(game, after, seat)
    events: list[Event] = game.module("view").tell(sights[0], known, sights[1], game.words("en"), names)
    return events


def _raise(game: Game, setup: Setup, match: Match, what: str) -> None:
    raise Nonconformity(game, what, setup=setup, seed=SEED, move=len(match.moves))
