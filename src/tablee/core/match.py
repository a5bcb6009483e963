"""A match: the checked interface to a game. It explains what it refuses, and its state is always valid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tablee.core import words as catalogues
from tablee.core.deals import deal_match, deal_number
from tablee.core.errors import BadMove, BadSetup, IllegalMove, TableeError
from tablee.core.game import Game, Options, Setup
from tablee.core.outcome import Outcome
from tablee.core.randomness import key_words, secret_seed
from tablee.core.registry import find_game
from tablee.core.sight import Sight
from tablee.core.state import copy_state, state_digest

if TYPE_CHECKING:
    from tablee.core.codes import RefusalCode
    from tablee.core.compilation import Kernel
    from tablee.core.types import State
    from tablee.core.view import Event, Names, View  # drawn with msgspec, which machines that only compute may lack
    from tablee.records import Record


class Match:
    """One game from deal to end.

    Seats are numbered from 0. Without a `seed` the deal cannot be guessed; the same seed gives the same deal. With the
    name of a `reduction`, it is played from one of its small positions.
    """

    def __init__(
        self,
        game: Game | str,
        *,
        seats: int | None = None,
        seed: int | None = None,
        stream: int = 0,
        options: Options | None = None,
        players: Sequence[str] | None = None,
        reduction: str = "",
    ) -> None:
        self.game = find_game(game) if isinstance(game, str) else game
        self.setup: Setup = self.game.setup(seats, options, reduction)
        self.seed: int | None = secret_seed() if seed is None else seed
        self.stream = stream
        try:
            key_words(self.seed)
        except ValueError as why:
            raise BadSetup(str(why)) from None
        self.state = deal_match(self.game, self.setup, self.seed, stream)
        self._begin(players)

    @classmethod
    def from_deal(cls, game: Game | str, reduction: str, number: int, players: Sequence[str] | None = None) -> Match:
        """Start from a deal of a reduction, given by its number."""
        game = find_game(game) if isinstance(game, str) else game
        setup = game.setup(reduction=reduction)
        match = cls.from_state(game, deal_number(game, setup, number), players)
        match.setup = setup
        return match

    @classmethod
    def from_state(cls, game: Game | str, state: State, players: Sequence[str] | None = None) -> Match:
        """Start from any position, a full state, which is copied."""
        match = cls.__new__(cls)
        match.game = find_game(game) if isinstance(game, str) else game
        match.setup = match.game.setup_of(state)
        match.seed = None
        match.stream = 0
        match.state = copy_state(state)
        match._begin(players)
        return match

    def _begin(self, players: Sequence[str] | None) -> None:
        if players is not None and len(players) != self.seats:
            raise BadSetup(f"{len(players)} names for {self.seats} seats")
        self.players = list(players) if players is not None else None
        self.moves: list[int] = []
        self.first_state = copy_state(self.state)
        self._before = copy_state(self.state)
        self._has_finished_round: bool | None = None  # by the last move; None: not asked yet
        self._who_sees_move: dict[int, bool] = {}  # by seat: whether it may know the last move
        self._turn: tuple[int, bool] | None = None  # who is to move, and whether the game is over, in a kept position
        self._named: tuple[list[str] | None, dict[str, Names]] = (self.players, {})  # names by language, of players

    def copy(self) -> Match:
        """Return an independent match with the same position and moves."""
        twin = Match.__new__(Match)
        twin.__dict__.update(self.__dict__)
        twin.state, twin._before = copy_state(self.state), copy_state(self._before)
        twin.moves = list(self.moves)
        twin.players = None if self.players is None else list(self.players)
        return twin

    def after(self, move: int) -> Match:
        """Return the match after a legal move, which is not checked; nothing may be played in this one afterwards."""
        match = Match.__new__(Match)
        match.__dict__ = self.__dict__.copy()
        match._before, match.state = self.state, copy_state(self.state)
        match.game.kernels.play(match.state, move)
        match.moves = [*self.moves, move]
        match._has_finished_round, match._who_sees_move = None, {}
        match._turn = int(match.state.to_move), bool(match.state.end_reason)
        return match

    # Turns and moves

    @property
    def seats(self) -> int:
        """The number of seats."""
        return int(self.state.seats)

    @property
    def to_move(self) -> int:
        """The seat to move, -1 when the game is over."""
        return int(self.state.to_move) if self._turn is None else self._turn[0]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.state.end_reason != 0) if self._turn is None else self._turn[1]

    def legal_moves(self) -> list[int]:
        """Return the legal moves of the seat to move, ascending; none when the game is over."""
        out = np.zeros(self.game.max_legal_moves, np.int32)
        count = self.game.kernels.legal_moves(self.state, out)
        moves: list[int] = out[:count].tolist()
        return moves

    def play(self, move: int | str) -> None:
        """Play a move, given by number or text; raise BadMove if there is none, IllegalMove if the rules refuse it."""
        self.push(self.check(move))

    def check(self, move: int | str) -> int:
        """Return a legal move, given by number or text; raise BadMove or IllegalMove, as `play` does."""
        number = self.parse(move) if isinstance(move, str) else self._checked(move)
        if self.game.kernels.refusal(self.state, number):
            raise illegal_move(self.game, self.state, number, len(self.moves) + 1)
        return number

    def push(self, move: int) -> None:
        """Play a move that is known to be legal; nothing is checked."""
        self._before = copy_state(self.state)
        self.game.kernels.play(self.state, move)
        self.moves.append(move)
        self._has_finished_round = self._turn = None
        self._who_sees_move = {}

    def why_not(self, move: int | str, language: str = "en") -> str | None:
        """Return why a move is refused now, with the clause; None if it is legal."""
        number = self.parse(move) if isinstance(move, str) else self._checked(move)
        code = int(self.game.kernels.refusal(self.state, number))
        return _reason(self.game, self.game.kernels.refusal_codes.of(code), language) if code else None

    def _checked(self, move: int) -> int:
        if not 0 <= move < self.game.moves:
            raise BadMove(f"{self.game.name} has no move {move}; they are numbered 0 to {self.game.moves - 1}")
        return int(move)

    # Moves as text

    def text(self, move: int) -> str:
        """Return the text of a move, the same in every language."""
        return str(self.game.module("moves").move_text(self._checked(move)))

    def parse(self, text: str) -> int:
        """Return the move with a text; raise BadMove if there is none."""
        return int(self.game.module("moves").parse_move(text))

    # Sights, views and events

    def sight(self, seat: int) -> Sight:
        """Return what a seat knows (-1: a spectator)."""
        return Sight.of(self.game, self.state, seat)

    def view(self, seat: int, language: str = "en") -> View:
        """Return what a front end draws for a seat (-1: a spectator)."""
        return self.draw_view(self.sight(seat), language)

    def draw_view(self, sight: Sight, language: str) -> View:
        """Return what a front end draws from a sight of the present position."""
        moves = self.legal_moves() if sight.seat == self.to_move else []
        words = self.game.words(language)
        view: View = self.game.module("view").draw(sight, moves, words, self._kept_names(language))
        return self._with_typed(view, language) if moves else view

    def _with_typed(self, view: View, language: str) -> View:
        """Return a view with the texts of its choices in a language, where these differ."""
        move_words = self.game.move_words(language)
        if not move_words.differs:
            return view
        from tablee.core.view import with_typed

        return with_typed(view, move_words.typed)

    def finished_rounds(self) -> int:
        """Return how many rounds have ended with scoring."""
        return int(self.game.kernels.finished_rounds(self.state))

    def round_view(self, seat: int, language: str = "en") -> View:
        """Return the final position and the result of the round that ended last, as a seat may know them."""
        before, move, after = self.last_round_end()
        sights = Sight.of(self.game, before, seat), Sight.of(self.game, after, seat)
        seen = move if self.game.kernels.sees_move(before, move, seat) else None
        words = self.game.words(language)
        view: View = self.game.module("view").draw_round(sights[0], seen, sights[1], words, self.names(language))
        return view

    @property
    def has_just_finished_round(self) -> bool:
        """Whether the last move ended a round; kept, as every viewer's log and score sheet ask."""
        if self._has_finished_round is None:
            before = int(self.game.kernels.finished_rounds(self._before))
            self._has_finished_round = self.finished_rounds() > before
        return self._has_finished_round

    def last_round_end(self) -> tuple[State, int, State]:
        """Return the move that ended a round last, between the states before and after it."""
        if self.has_just_finished_round:
            return self._before, self.moves[-1], self.state
        found = None
        match = Match.from_state(self.game, self.first_state)
        for move in self.moves:
            match.push(move)
            if match.has_just_finished_round:
                found = match._before, move, copy_state(match.state)
        if found is None:
            raise TableeError("no round has ended yet")
        return found

    def events(self, seat: int, language: str = "en") -> list[Event]:
        """Return what a seat may know of the last move."""
        if not self.moves:
            return []
        return self.tell_events(Sight.of(self.game, self._before, seat), self.sight(seat), language)

    def sees_last_move(self, seat: int) -> bool:
        """Whether a seat (-1: a spectator) may know the last move; kept, as log and message both ask."""
        if seat not in self._who_sees_move:
            self._who_sees_move[seat] = bool(self.game.kernels.sees_move(self._before, self.moves[-1], seat))
        return self._who_sees_move[seat]

    def tell_events(self, before: Sight, after: Sight, language: str) -> list[Event]:
        """Return the events of the last move, from a seat's sights before and after it."""
        move = self.moves[-1] if self.sees_last_move(after.seat) else None
        words = self.game.words(language)
        events: list[Event] = self.game.module("view").tell(before, move, after, words, self._kept_names(language))
        return events

    def names(self, language: str = "en") -> list[str]:
        """Return the names of the players; "Player 1" and so on where none was given."""
        if self.players is not None and all(self.players):
            return list(self.players)
        common = catalogues.common(language)
        given = self.players or [""] * self.seats
        return [name or common.say("seat", number=seat) for seat, name in enumerate(given, start=1)]

    def _kept_names(self, language: str) -> Names:
        """Return the names with what was drawn with them; the same in all positions of a match."""
        if self._named[0] is not self.players:
            self._named = (self.players, {})
        names = self._named[1].get(language)
        if names is None:
            from tablee.core.view import Names

            names = self._named[1][language] = Names(self.names(language))
        return names

    def forget_drawn(self) -> None:
        """Drop what was drawn with the players' names; it is drawn again on demand."""
        self._named[1].clear()

    # Scores, outcome and record

    def scores(self) -> list[int]:
        """Return the points of each seat from all finished rounds."""
        return self._per_seat(self.game.kernels.scores)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, None while it goes on."""
        if not self.is_over:
            return None
        reason = self.game.kernels.end_reasons(int(self.state.end_reason)).key
        return Outcome(reason, tuple(self.scores()), tuple(self._per_seat(self.game.kernels.ranks)))

    def _per_seat(self, kernel: Kernel) -> list[int]:
        out = np.zeros(self.seats, np.int64)
        kernel(self.state, out)
        return [int(number) for number in out]

    def digest(self) -> str:
        """Return the digest of the state."""
        return state_digest(self.state)

    def record(self, **header: Any) -> Record:
        """Return the match as a record, which can be saved; `header` holds fields of its header."""
        from tablee.records import Record

        return Record.of(self, **header)


def illegal_move(game: Game, state: State, move: int, number: int) -> IllegalMove:
    """Return the error for a move that the rules refuse in a state; `number` counts the moves of the game from 1."""
    refusal = game.kernels.refusal_codes.of(int(game.kernels.refusal(state, move)))
    where = f"at move {number}" if state.end_reason else f"for seat {state.to_move} at move {number}"
    message = f"illegal move {game.module('moves').move_text(move)!r} {where}: {_reason(game, refusal, 'en')}"
    return IllegalMove(message, code=refusal.key, clause=refusal.clause)


def _reason(game: Game, refusal: RefusalCode, language: str) -> str:
    """Return why a move is refused, with the clause."""
    return f"{game.words(language).say(f'refusals.{refusal.key}')} ({refusal.clause})"
