"""A saved game on the screen: step, scrub, look from any seat, and play on from any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from tablee.core.errors import TableeError
from tablee.core.words import Words, common
from tablee.terminal.board_widget import BoardWidget
from tablee.terminal.fields import Field, bot_choices
from tablee.terminal.play_settings import PlaySettings
from tablee.terminal.sheet import Sheet

if TYPE_CHECKING:
    from tablee.core.match import Match
    from tablee.core.view import Event, View
    from tablee.tables.forks import Fork
    from tablee.tables.replays import Replay

SPECTATOR, OPEN = -1, -2  # who looks, besides the seats
LEAP = 10
SECONDS_PER_MOVE = 0.8


class ReplayScreen(Screen[None]):
    """A match to look at after any of its moves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,down,enter", "step(1)", show=False, priority=True),
        Binding("left,up,backspace", "step(-1)", show=False, priority=True),
        Binding("pagedown", f"step({LEAP})", show=False, priority=True),
        Binding("pageup", f"step(-{LEAP})", show=False, priority=True),
        Binding("home", "first", show=False, priority=True),
        Binding("end", "last", show=False, priority=True),
        Binding("s,tab", "turn_seat", show=False, priority=True),
        Binding("space", "play_or_stop", show=False, priority=True),
        Binding("f", "fork", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("f10,q,escape", "app.quit", show=False),
    ]

    def __init__(
        self,
        language: str,
        open_match: Callable[[], Match],
        begin: Callable[[PlaySettings], Screen[None]],
        viewer: int = SPECTATOR,
    ) -> None:
        super().__init__()
        self.language = language
        self.words = common(language)
        self.viewer = viewer
        self.index = 0  # moves played
        self.replay: Replay | None = None
        self._open_match = open_match
        self._begin = begin
        self._playing = False

    def compose(self) -> ComposeResult:
        """Lay everything out."""
        yield BoardWidget(self.language)
        yield Static(id="told", markup=False)
        yield Static(self.words.say("terminal.laying"), id="prompt", markup=False)
        yield Scrubber()
        yield Static(self.words.say("terminal.replay_keys"), id="keys")

    def on_mount(self) -> None:
        """Load the game."""
        self.set_interval(SECONDS_PER_MOVE, self._go_on)
        self.run_worker(self._load(), name="record")

    async def _load(self) -> None:
        try:
            self.replay = await asyncio.to_thread(self._loaded)
        except (TableeError, OSError) as why:
            self.query_one("#prompt", Static).update(str(why))
            return
        self.show()

    def _loaded(self) -> Replay:
        match = self._open_match()
        from tablee.tables.replays import Replay

        if self.viewer >= match.seats:
            raise TableeError(f"there is no seat {self.viewer} at a table of {match.seats}; the first is 0")
        return Replay(match)

    # What is shown

    def show(self) -> None:
        """Draw the moment."""
        if self.replay is None:
            return
        match = self.replay.at(self.index)
        told = self._told(self.replay, match)
        names = match.names(self.language)
        self.query_one(BoardWidget).show_view(
            self._view(match), names, {identity for event in told for identity in event.path}
        )
        self.query_one("#told", Static).update(" ".join(event.text for event in told))
        self.query_one("#prompt", Static).update(self._heading(match, names))
        self.query_one(Scrubber).show(self.index, self.replay.length)

    def _view(self, match: Match) -> View:
        from tablee.tables.replays import open_view

        return open_view(match, self.language) if self.viewer == OPEN else match.view(self.viewer, self.language)

    def _told(self, replay: Replay, match: Match) -> list[Event]:
        if self.viewer == OPEN:
            return replay.told_openly(self.index, self.language)
        return match.events(self.viewer, self.language)

    def _heading(self, match: Match, names: list[str]) -> str:
        from tablee.terminal.story import end_lines

        seen = self._viewer_name(names)
        if self.replay is not None and self.index == self.replay.length:
            return f"{seen} · {' '.join(end_lines(match, self.language))}"
        return f"{seen} · {match.game.words(self.language).say('title')}"

    def _viewer_name(self, names: list[str]) -> str:
        if self.viewer == OPEN:
            return self.words.say("terminal.seen_open")
        name = self.words.say("spectator") if self.viewer == SPECTATOR else names[self.viewer]
        return self.words.say("terminal.seen_by", name=name)

    def on_resize(self) -> None:
        """Draw anew for the room there is."""
        self.call_after_refresh(self.show)

    # What the person does

    def go_to(self, index: int) -> None:
        """Show the match after so many moves."""
        if self.replay is not None:
            self.index = max(0, min(index, self.replay.length))
            self.show()

    def action_step(self, moves: int) -> None:
        """Go forward or back."""
        self._playing = False
        self.go_to(self.index + moves)

    def action_first(self) -> None:
        """Go to the deal."""
        self.go_to(0)

    def action_last(self) -> None:
        """Go to the end."""
        self.go_to(self.replay.length if self.replay else 0)

    def action_play_or_stop(self) -> None:
        """Let it play by itself, or stop."""
        self._playing = not self._playing

    def _go_on(self) -> None:
        if self._playing:
            self.go_to(self.index + 1)

    def on_scrubber_moved(self, message: Scrubber.Moved) -> None:
        """Go where the mouse points."""
        if self.replay is not None:
            self.go_to(round(message.share * self.replay.length))

    def action_turn_seat(self) -> None:
        """Look from the next seat: a spectator's, each player's, then with what anybody knew."""
        if self.replay is not None:
            viewers = [SPECTATOR, *range(self.replay.match.seats), OPEN]
            self.viewer = viewers[(viewers.index(self.viewer) + 1) % len(viewers)]
            self.show()

    async def action_fork(self) -> None:
        """Ask how to play on from here."""
        if self.replay is None or self.replay.at(self.index).is_over:
            self.query_one("#told", Static).update(self.words.say("refused.while_over"))
            return
        match = self.replay.at(self.index)
        seat = self.viewer if self.viewer >= 0 else match.to_move
        await self.app.push_screen(ForkSheet(self.words, match.names(self.language), self.index, seat), self._fork)

    def _fork(self, fork: Fork | None) -> None:
        if fork is not None and self.replay is not None:
            self.app.push_screen(self._begin(forked(self.replay, fork, self.language)))

    async def action_help(self) -> None:
        """Show keys and rules."""
        rules = self.replay.match.game.rulebook(self.language) if self.replay else ""
        await self.app.push_screen(Sheet(f"{self.words.say('terminal.replay_help')}\n\n{rules}"))


def forked(replay: Replay, fork: Fork, language: str) -> PlaySettings:
    """Return a game that goes on from a moment: as it was, or in a world that fits what the seat knew."""
    from tablee.core.match import Match
    from tablee.core.randomness import new_generator, secret_seed

    old, past = replay.match, replay.at(fork.moves)
    names = old.names(language)
    if fork.is_imagined:
        world = past.sight(fork.seat).imagine(new_generator(secret_seed()))
        start = Match.from_state(old.game, world, names)
    else:
        start = Match.from_state(old.game, old.first_state, names)
        start.seed, start.stream = old.seed, old.stream
        for move in old.moves[: fork.moves]:
            start.play(move)
    return PlaySettings(old.game, old.setup, language, fork.seat, (fork.bot,), name=names[fork.seat], start=start)


class Scrubber(Static):
    """A line that shows how far the game is; the mouse goes anywhere."""

    @dataclass
    class Moved(Message):
        """Somebody pointed at a share of the game, from 0 to 1."""

        share: float

    def __init__(self) -> None:
        super().__init__(id="scrubber", markup=False)

    def show(self, index: int, length: int) -> None:
        """Draw how far it is."""
        number = f" {index}/{length}"
        width = max(self.size.width - len(number) - 1, 1)
        at = index * (width - 1) // length if length else 0
        self.update(Text.assemble(("━" * at, "bold"), "●", ("─" * (width - at - 1), "dim"), number))

    def on_click(self, event: events.Click) -> None:
        """Go there."""
        self.post_message(self.Moved(min(event.x / max(self.size.width - 8, 1), 1.0)))


class ForkSheet(ModalScreen["Fork | None"]):
    """Asks how to play on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "begin", show=False, priority=True),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("escape,q", "dismiss", show=False),
    ]

    def __init__(self, words: Words, names: list[str], moves: int, seat: int) -> None:
        super().__init__()
        self.moves = moves
        self.words = words
        self.names = names
        self.seat = seat

    def compose(self) -> ComposeResult:
        """Show the wishes."""
        words = self.words
        cards = [(False, words.say("terminal.true_cards")), (True, words.say("terminal.fresh_world"))]
        with Vertical(id="sheet", classes="small"):
            yield Static(words.say("terminal.fork"), markup=False)
            yield Field("seat", words.say("terminal.your_seat"), list(enumerate(self.names)), self.seat)
            yield Field("cards", words.say("terminal.cards"), cards, False)
            yield Field("bot", words.say("terminal.bots"), bot_choices(words), "club")
            yield Static(words.say("terminal.fork_keys"), markup=False)

    def on_mount(self) -> None:
        """Begin with the cards."""
        self.query(Field)[1].focus()

    def action_begin(self) -> None:
        """Play on."""
        from tablee.tables.forks import Fork

        seat, is_imagined, bot = (field.value for field in self.query(Field))
        self.dismiss(Fork(self.moves, seat, bot, is_imagined))
