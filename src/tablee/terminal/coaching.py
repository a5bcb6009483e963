"""The coach of a table in the terminal: hints step by step, what hidden pieces can be, warnings before a blunder."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Protocol

from tablee.core.errors import TableeError
from tablee.core.words import Words

if TYPE_CHECKING:
    from tablee.core.view import Piece, View
    from tablee.protocol.shown import TableShown
    from tablee.review.beliefs import Belief, Beliefs

STEPS = 3  # what to look at, which moves are good, why
MAX_POSSIBLE = 6  # faces told of a piece


class SuggestedMove(Protocol):
    """A move that the coach speaks of."""

    @property
    def move(self) -> str:
        """Its text."""

    @property
    def label(self) -> str:
        """Its name."""

    @property
    def targets(self) -> Sequence[str]:
        """Ids of what is selected to play it."""

    @property
    def text(self) -> str:
        """A warning, of a blunder."""


class Suggestion(Protocol):
    """A hint, of this process or of a server."""

    @property
    def look(self) -> str:
        """What to look at."""

    @property
    def points(self) -> Sequence[str]:
        """Ids of that."""

    @property
    def good(self) -> Sequence[SuggestedMove]:
        """The good moves."""

    @property
    def marks(self) -> Sequence[str]:
        """Ids of what they are made with."""

    @property
    def why(self) -> str:
        """Why the first of them is good."""

    @property
    def blunders(self) -> Sequence[SuggestedMove]:
        """The moves that cost much."""


@dataclass(frozen=True)
class PieceBelief:
    """What a hidden piece can be, the likeliest first, or what is among the hidden pieces of a zone."""

    id: str
    label: str
    possible: tuple[tuple[str, float, float], ...]  # label, probability in percent, its standard error

    @classmethod
    def of(cls, belief: Belief) -> PieceBelief:
        """Return a belief that was found in this process."""
        possible = tuple((each.label, 100 * each.probability, 100 * each.error) for each in belief.possibilities)
        return cls(belief.id, belief.label, possible)

    def in_words(self) -> str:
        """Return the likeliest possibilities; with their errors, unless they were counted."""
        return ", ".join(
            f"{label} {percent:.0f} ± {ceil(error)} %" if error else f"{label} {percent:.0f} %"
            for label, percent, error in self.possible[:MAX_POSSIBLE]
        )


@dataclass(frozen=True)
class TableBeliefs:
    """Of all hidden pieces in a position."""

    worlds: int  # that were imagined; 0 if everything was counted
    pieces: tuple[PieceBelief, ...]
    zones: tuple[PieceBelief, ...]

    @classmethod
    def of(cls, found: Beliefs) -> TableBeliefs:
        """Return beliefs that were found in this process."""
        return cls(found.worlds, tuple(map(PieceBelief.of, found.pieces)), tuple(map(PieceBelief.of, found.zones)))

    def markdown(self, words: Words) -> str:
        """Return what all hidden pieces can be."""
        if not self.pieces:
            return words.say("coach.beliefs_none")
        is_counted = self.worlds == 0
        source = words.say("coach.beliefs_exact" if is_counted else "coach.beliefs_worlds", worlds=self.worlds)
        lines = [f"- {belief.label}: {belief.in_words()}" for belief in (*self.zones, *self.pieces)]
        return "\n\n".join([f"# {words.say('coach.beliefs_title')}", source, "\n".join(lines)])


class TerminalCoach:
    """What the coach has said about the present decision, and what a player wants to hear."""

    def __init__(
        self,
        words: Words,
        ask_hint: Callable[[], Awaitable[Suggestion]],
        ask_beliefs: Callable[[], Awaitable[TableBeliefs]],
    ) -> None:
        self.words = words
        self.warns = False  # before a blunder
        self._ask_hint = ask_hint
        self._ask_beliefs = ask_beliefs
        self._hint: Suggestion | None = None
        self._beliefs: TableBeliefs | None = None
        self._step = 0  # of the hint that is shown
        self._moves = -1  # made when they were asked for
        self._doubted = ""  # the move that was warned of

    def update(self, table: TableShown) -> None:
        """Forget what was said about another decision."""
        if table.moves != self._moves or not any(command.type == "hint" for command in table.commands):
            self._hint, self._step, self._doubted = None, 0, ""
        if table.moves != self._moves:
            self._beliefs = None
        self._moves = table.moves

    @property
    def text(self) -> str:
        """What the coach says, as far as it was asked."""
        if self._hint is None or not self._step:
            return ""
        good = self.words.say("hint.and").join(move.label for move in self._hint.good)
        parts = [self._hint.look, self.words.say("hint.good", moves=good), self._hint.why]
        more = [] if self._step == STEPS else [self.words.say("coach.more", hint=self.words.say("commands.hint"))]
        return " ".join([*parts[: self._step], *more])

    @property
    def points(self) -> tuple[str, ...]:
        """Ids of what the coach points at: first where to look, then what the good moves are made with."""
        if self._hint is None or not self._step:
            return ()
        if self._step == 1:
            return tuple(self._hint.points)
        return tuple(self._hint.marks)

    def with_beliefs(self, view: View) -> View:
        """Return a view whose hidden pieces say what they can be, if that was asked for."""
        if self._beliefs is None:
            return view
        found = {belief.id: belief for belief in self._beliefs.pieces}
        zones = tuple(
            replace(zone, pieces=tuple(_with_belief(piece, found.get(piece.id)) for piece in zone.pieces))
            for zone in view.zones
        )
        return replace(view, zones=zones)

    async def next_step(self) -> str:
        """Say the next step of the hint; return why that is not possible, or an empty text."""
        try:
            await self._known_hint()
        except (TableeError, OSError) as error:
            return _reason(error, self.words)
        self._step = min(self._step + 1, STEPS)
        return ""

    async def beliefs(self) -> str:
        """Return what hidden pieces can be, in Markdown, or why that cannot be told."""
        try:
            self._beliefs = await self._ask_beliefs()
        except (TableeError, OSError) as error:
            return _reason(error, self.words)
        return self._beliefs.markdown(self.words)

    async def doubt(self, move: str) -> str:
        """Return a warning before a blunder, once; empty if the move is to be played."""
        if not self.warns or self._doubted == move:
            return ""
        try:
            hint = await self._known_hint()
        except (TableeError, OSError):
            return ""
        blunder = next((each for each in hint.blunders if each.move == move), None)
        if blunder is None:
            return ""
        self._doubted = move
        return self.words.say("coach.sure", text=blunder.text)

    async def _known_hint(self) -> Suggestion:
        if self._hint is None:
            self._hint = await self._ask_hint()
        return self._hint


def _with_belief(piece: Piece, belief: PieceBelief | None) -> Piece:
    return piece if belief is None else replace(piece, label=f"{piece.label}: {belief.in_words()}")


def _reason(error: TableeError | OSError, words: Words) -> str:
    return str(error) if isinstance(error, TableeError) else words.say("refused.coach_unavailable")
