"""Looking back: a match as it was after any of its moves, from a seat with what it knew, or with what anybody knew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock

from tablee.core.match import Match
from tablee.core.state import SPECTATOR, copy_state
from tablee.core.view import Event, Piece, View, Zone
from tablee.tables.refusals import Refused
from tablee.tables.table import OVER, Table

SPACING = 16  # moves between the states that are kept: going to a moment plays no more than these


class Replay:
    """A match, to be looked at after any of its moves; several threads may look at once."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._states = [match.first_state]  # after 0, SPACING, 2 * SPACING … moves, as far as somebody has looked
        self._looking = Lock()

    @property
    def length(self) -> int:
        """How many moves there are."""
        return len(self.match.moves)

    def at(self, moves: int) -> Match:
        """Return the match after so many moves."""
        with self._looking:
            kept = min(max(0, moves - 1) // SPACING, len(self._states) - 1)
            past = Match.from_state(self.match.game, self._states[kept], self.match.players)
            past.moves = self.match.moves[: kept * SPACING]
            for move in self.match.moves[kept * SPACING : moves]:
                past.play(move)
                if len(past.moves) == len(self._states) * SPACING:
                    self._states.append(copy_state(past.state))
            return past

    def told_openly(self, moves: int, language: str) -> list[Event]:
        """Tell the last of so many moves, as the one who made it knew it."""
        return self.at(moves).events(self.at(moves - 1).to_move, language) if moves else []

    def points(self) -> list[tuple[int, list[int]]]:
        """Return the points of all seats at the beginning, and after every move that changed them."""
        found: list[tuple[int, list[int]]] = []
        match = self.at(0)
        for moves in range(self.length + 1):
            if moves:
                match.play(self.match.moves[moves - 1])
            scores = match.scores()
            if not found or found[-1][1] != scores:
                found.append((moves, scores))
        return found


def may_look_back(table: Table, viewer: int, seat: int, is_open: bool) -> None:
    """Refuse what a viewer may not see again: before the end, everything but what he could see himself."""
    if table.match is None:
        raise Refused("not_playing", "while_gathering")
    if not SPECTATOR <= seat < len(table.seats):
        raise Refused("no_such_seat", seat=seat + 1)
    if table.phase != OVER and (is_open or seat != viewer):
        raise Refused("not_over")


def open_view(match: Match, language: str) -> View:
    """Return what all at the table knew together: the view of a spectator, with each face that any seat could see.

    What nobody knew (a draw pile, a card that all have still to turn up) stays hidden here too.
    """
    seen = [match.view(seat, language) for seat in range(match.seats)]
    faces = {piece.id: piece for view in seen for piece in _pieces(view.zones) if piece.face is not None}
    view = match.view(SPECTATOR, language)
    return replace(view, zones=tuple(_opened(zone, faces) for zone in view.zones))


def _pieces(zones: Sequence[Zone]) -> list[Piece]:
    return [piece for zone in zones for piece in zone.pieces]


def _opened(zone: Zone, faces: dict[str, Piece]) -> Zone:
    return replace(zone, pieces=tuple(piece if piece.face else faces.get(piece.id, piece) for piece in zone.pieces))
