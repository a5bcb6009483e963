"""The events of a move, made from what the viewer knew before it and knows after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tablee.core.sight import Sight
from tablee.core.state import NOBODY
from tablee.core.view import Event
from tablee.core.words import Words
from tablee.games.xylo.moves import BID_LEFT, BID_RIGHT, KEEP, PASS, PEEK_FIRST, colour_of_move, position_of_move
from tablee.games.xylo.names import as_sentence, card_name, owner_of, piece_id, row_name, rows_from, zone_id
from tablee.games.xylo.packets import arranged_position, arranged_row
from tablee.games.xylo.rules import ranks
from tablee.games.xylo.scoring import is_met
from tablee.games.xylo.state import (
    ARRANGE,
    NO_CARD,
    UNKNOWN_VALUE,
    Card,
    Row,
    card_at,
    colour_of,
    has_bid,
    row_count,
    row_of,
    tricks_played,
    value_of,
)
from tablee.games.xylo.tricks import winner_of


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Return what happened, as far as the viewer may know."""
    return list(EventBuilder(before, move, after, words, names).events())


class EventBuilder:
    """Builds the events of one move, in order."""

    def __init__(self, before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> None:
        self.before, self.move, self.after, self.words, self.names = before, move, after, words, names
        self.old, self.new = before.state, after.state
        self.is_new_round = bool(self.new.rounds_played > self.old.rounds_played)
        self.has_trick = self.is_new_round or tricks_played(self.new) > tricks_played(self.old)

    def events(self) -> Iterator[Event]:
        """Yield the events of the move."""
        if self.old.phase == ARRANGE:
            yield from self.arranging()
        else:
            yield from self.announcing()
            yield from self.cards()
        if self.is_new_round:
            yield from self.scoring()
        if self.new.phase != ARRANGE and not self.new.end_reason and (self.is_new_round or self.old.phase == ARRANGE):
            yield from self.layout()

    def event(self, code: str, row: Row | None = None, path: tuple[str, ...] = (), **values: Any) -> Event:
        """Return an event; its player is the owner of a row."""
        seat = None
        if row is not None:
            values["player"] = self.name_of(row)
            seat = owner if (owner := owner_of(self.before.seats, row)) != NOBODY else None
        return Event(code, as_sentence(self.words.say(f"events.{code}", **values)), seat, path)

    def name_of(self, row: Row) -> str:
        """Return the name of a row's player or automaton."""
        return row_name(self.before.seats, row, self.words, self.names)

    @property
    def mover(self) -> Row:
        """The row that moved."""
        return int(row_of(self.old, self.before.to_move))

    def arranging(self) -> Iterator[Event]:
        """Yield how a packet is ordered; only its sorter knows (A16, A24)."""
        if self.move is None:
            yield self.event("arranged_unseen", self.mover)
            return
        row, position = int(arranged_row(self.old)), int(arranged_position(self.old))
        whose = self.name_of(row)
        if self.move == KEEP:
            yield self.event("kept", self.mover, whose=whose)
            return
        while colour_of(card_at(self.old, row, position)) != colour_of_move(self.move):
            position += 1
        card = card_name(card_at(self.old, row, position), self.words)
        path = (piece_id(self.old, row, position), piece_id(self.old, row, int(arranged_position(self.old))))
        yield self.event("arranged", self.mover, path, card=card, whose=whose)

    def layout(self) -> Iterator[Event]:
        """Yield the layout of the rows, the automata's announcements, and who leads."""
        yield replace(self.event("spread"), begins_round=self.is_new_round)
        for row in range(row_count(self.new)):
            if owner_of(self.after.seats, row) == NOBODY:
                card = card_at(self.new, row, int(self.new.bid_at[row]))
                yield self.event("automaton_bid", row, n=value_of(card), card=card_name(card, self.words))
        yield self.event("begins", int(row_of(self.new, self.new.first)))

    def announcing(self) -> Iterator[Event]:
        """Yield a look at two cards, an announcement, or a pass."""
        row = self.mover
        if self.move == PASS:
            yield self.event("passed", row)
        elif self.move in (BID_LEFT, BID_RIGHT):
            position = int(self.old.peeks[row, int(self.move) - BID_LEFT])
            path = (piece_id(self.old, row, position), f"{zone_id(self.old, row)}.bid")
            card = self.announced(row)
            yield self.event("bid", row, path, n=value_of(card), card=card_name(card, self.words))
        elif self.move is not None and self.move >= PEEK_FIRST:
            left, right = (int(position) for position in self.new.peeks[row])
            yield self.event("peeked", row, left=left + 1, right=right + 1)
            cards = [card_at(self.new, row, position) for position in (left, right)]
            if all(value_of(card) != UNKNOWN_VALUE for card in cards):
                shown = [card_name(card, self.words) for card in cards]
                yield self.event("saw", row, left=shown[0], right=shown[1])

    def announced(self, row: Row) -> Card:
        """Return a row's announcement card, also after a new deal."""
        if self.is_new_round:
            return int(self.new.last_bids[row])
        return int(card_at(self.new, row, int(self.new.bid_at[row])))

    def cards(self) -> Iterator[Event]:
        """Yield the cards played by the mover and then by automata; a trick may end and the next begin."""
        trick = self.new.last_trick if self.has_trick else self.new.trick
        for row in rows_from(self.old, self.old.leader):
            if self.old.trick[row] == NO_CARD and trick[row] != NO_CARD:
                yield from self.card(row, int(trick[row]))
        if not self.has_trick:
            return
        winner = int(winner_of(trick, self.old.leader, row_count(self.old), self.old.trump))
        yield self.event("won_trick", winner, ("trick", f"{zone_id(self.old, winner)}.tricks"))
        for row in rows_from(self.new, self.new.leader):
            if self.new.trick[row] != NO_CARD:
                yield from self.card(row, int(self.new.trick[row]))

    def card(self, row: Row, card: Card) -> Iterator[Event]:
        """Yield a card played, and the announcement that the last card left may become (R30)."""
        path = (self.origin(row, card), "trick")
        yield self.event("played", row, path, card=card_name(card, self.words))
        is_forced = not has_bid(self.old, row) and (self.is_new_round or has_bid(self.new, row))
        if is_forced:
            bid = self.announced(row)
            path = (zone_id(self.old, row), f"{zone_id(self.old, row)}.bid")
            yield self.event("last_card_bid", row, path, n=value_of(bid), card=card_name(bid, self.words))

    def origin(self, row: Row, card: Card) -> str:
        """Return the id of the position where a card lay, or of its row if the viewer does not know."""
        if self.move is not None and row == self.mover:
            return piece_id(self.old, row, position_of_move(self.move) or 0)
        for position in range(self.new.row_size):
            if not self.is_new_round and card_at(self.new, row, position) == card:
                return piece_id(self.new, row, position)
        return zone_id(self.old, row)

    def scoring(self) -> Iterator[Event]:
        """Yield the points of the round, then the next deal or the winners."""
        new = self.new
        yield self.event("round_over", number=int(new.rounds_played))
        rows = range(int(row_count(new)))
        seats = self.after.seats
        automata = [row for row in rows if owner_of(seats, row) == NOBODY and is_met(new, row)]
        if automata:
            yield self.event("both_automata_met" if len(automata) == 2 else "automaton_met", automata[0])
        for row in rows:
            if owner_of(seats, row) != NOBODY:
                yield self.event("met" if is_met(new, row) else "missed", row, **self.result(row))
        if new.end_reason:
            winners = winners_of(self.after)
            yield self.event("won", n=len(winners), winners=" & ".join(self.names[seat] for seat in winners))
        else:
            yield self.event("dealt", number=int(new.rounds_played) + 1)

    def result(self, row: Row) -> dict[str, Any]:
        """Return the parameters of a player's result in the round."""
        new, seat = self.new, owner_of(self.after.seats, row)
        return {
            "tricks": int(new.last_won[row]),
            "bid": value_of(int(new.last_bids[row])),
            "n": int(new.round_scores[seat]),
            "total": int(new.totals[seat]),
        }


def winners_of(sight: Sight) -> tuple[int, ...]:
    """Return the seats of rank 1."""
    out = np.zeros(sight.seats, np.int64)
    ranks(sight.state, out)
    return tuple(seat for seat in range(sight.seats) if out[seat] == 1)
