"""Past positions of a match: from a seat with what it knew, or with everything that any seat knew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock

from tablee.core.match import Match
from tablee.core.state import SPECTATOR, copy_state
from tablee.core.view import Event, Piece, View, Zone
from tablee.tables.refusals import Refused
from tablee.tables.table import OVER, Table

SPACING = 16  # moves between the states that are kept: reaching a position plays no more than these


class Replay:
    """The positions of a match after each of its moves; safe for several threads."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._states = [match.first_state]  # after 0, SPACING, 2 * SPACING … moves, as far as was asked for
        self._lock = Lock()

    @property
    def length(self) -> int:
        """How many moves there are."""
        return len(self.match.moves)

    def at(self, moves: int) -> Match:
        """Return the match after some of its moves."""
        with self._lock:
            kept = min(max(0, moves - 1) // SPACING, len(self._states) - 1)
            past = Match.from_state(self.match.game, self._states[kept], self.match.players)
            past.moves = self.match.moves[: kept * SPACING]
            for move in self.match.moves[kept * SPACING : moves]:
                past.push(move)
                if len(past.moves) == len(self._states) * SPACING:
                    self._states.append(copy_state(past.state))
            return past

    def open_events(self, moves: int, language: str) -> list[Event]:
        """Return the events of move number `moves`, as the seat that played it knew them."""
        return self.at(moves).events(self.at(moves - 1).to_move, language) if moves else []

    def points(self) -> list[tuple[int, list[int]]]:
        """Return (moves, scores) at the beginning, and after every move that changed the scores."""
        found: list[tuple[int, list[int]]] = []
        match = self.at(0)
        for moves in range(self.length + 1):
            if moves:
                match.push(self.match.moves[moves - 1])
            scores = match.scores()
            if not found or found[-1][1] != scores:
                found.append((moves, scores))
        return found


def check_may_look_back(table: Table, viewer: int, seat: int | None) -> None:
    """Refuse a past view that is not the viewer's own before the end: of another seat, or (None) of all together."""
    if table.match is None:
        raise Refused("not_playing", "while_gathering")
    if seat is not None and not SPECTATOR <= seat < len(table.seats):
        raise Refused("no_such_seat", seat=seat + 1)
    if table.phase != OVER and (seat != viewer or table.is_daily):
        raise Refused("not_over")


def open_view(match: Match, language: str) -> View:
    """Return the view of a spectator with each face that any seat could see.

    What no seat knew (a draw pile, a card that is face down for all) stays hidden.
    """
    seen = [match.view(seat, language) for seat in range(match.seats)]
    faces = {piece.id: piece for view in seen for piece in _pieces(view.zones) if piece.face is not None}
    view = match.view(SPECTATOR, language)
    return replace(view, zones=tuple(_opened(zone, faces) for zone in view.zones))


def _pieces(zones: Sequence[Zone]) -> list[Piece]:
    return [piece for zone in zones for piece in zone.pieces]


def _opened(zone: Zone, faces: dict[str, Piece]) -> Zone:
    return replace(zone, pieces=tuple(piece if piece.face else faces.get(piece.id, piece) for piece in zone.pieces))
