"""A saved game on the screen: step through it, see it as any seat saw it, play on from any position."""

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
from tablee.terminal.dialogs import TextDialog
from tablee.terminal.fields import ChoiceField, bot_choices
from tablee.terminal.play_settings import PlaySettings

if TYPE_CHECKING:
    from tablee.core.match import Match
    from tablee.core.view import Event, View
    from tablee.tables.forks import Fork
    from tablee.tables.replays import Replay
    from tablee.terminal.reviewed_replay import Mistake, ReviewedReplay

SPECTATOR, ALL_SEATS = -1, -2  # viewers other than seats
LONG_STEP = 10  # moves
SECONDS_PER_MOVE = 0.8


class ReplayScreen(Screen[None]):
    """A match, shown after any of its moves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,down,enter", "step(1)", show=False, priority=True),
        Binding("left,up,backspace", "step(-1)", show=False, priority=True),
        Binding("pagedown", f"step({LONG_STEP})", show=False, priority=True),
        Binding("pageup", f"step(-{LONG_STEP})", show=False, priority=True),
        Binding("home", "first", show=False, priority=True),
        Binding("end", "last", show=False, priority=True),
        Binding("s,tab", "next_viewer", show=False, priority=True),
        Binding("space", "toggle_playback", show=False, priority=True),
        Binding("f", "fork", show=False),
        Binding("r", "review", show=False),
        Binding("m", "next_mistake", show=False),
        Binding("b", "beliefs", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("f10,q,escape", "app.quit", show=False),
    ]

    def __init__(
        self,
        language: str,
        open_match: Callable[[], Match],
        open_table: Callable[[PlaySettings], Screen[None]],
        viewer: int = SPECTATOR,
    ) -> None:
        super().__init__()
        self.language = language
        self.words = common(language)
        self.viewer = viewer
        self.index = 0  # number of moves played
        self.replay: Replay | None = None
        self._open_match = open_match
        self._open_table = open_table
        self._is_playing = False
        self._reviewed: ReviewedReplay | None = None
        self._is_reviewing = False
        self._mistake: Mistake | None = None  # that was shown last

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        yield BoardWidget(self.language)
        yield Static(id="events", markup=False)
        yield Static(self.words.say("terminal.loading"), id="prompt", markup=False)
        yield ProgressLine()
        yield Static(self.words.say("terminal.replay_keys"), id="keys")

    def on_mount(self) -> None:
        """Start to load the game."""
        self.set_interval(SECONDS_PER_MOVE, self._play_next)
        self.run_worker(self._load(), name="record")

    async def _load(self) -> None:
        try:
            self.replay = await asyncio.to_thread(self._loaded)
        except (TableeError, OSError) as error:
            self.query_one("#prompt", Static).update(str(error))
            return
        self.show()

    def _loaded(self) -> Replay:
        match = self._open_match()
        from tablee.tables.replays import Replay

        if self.viewer >= match.seats:
            raise TableeError(f"there is no seat {self.viewer} at a table of {match.seats}; the first is 0")
        return Replay(match)

    # Display

    def show(self) -> None:
        """Show the position after `index` moves."""
        if self.replay is None:
            return
        match = self.replay.at(self.index)
        last_events = self._events(self.replay, match)
        names = match.names(self.language)
        self.query_one(BoardWidget).show_view(
            self._view(match), names, {identity for event in last_events for identity in event.path}
        )
        self.query_one("#events", Static).update(" ".join(event.text for event in last_events))
        self.query_one("#prompt", Static).update(self._heading(match, names))
        self.query_one(ProgressLine).show(self.index, self.replay.length)

    def _view(self, match: Match) -> View:
        from tablee.tables.replays import open_view

        return open_view(match, self.language) if self.viewer == ALL_SEATS else match.view(self.viewer, self.language)

    def _events(self, replay: Replay, match: Match) -> list[Event]:
        if self.viewer == ALL_SEATS:
            return replay.open_events(self.index, self.language)
        return match.events(self.viewer, self.language)

    def _heading(self, match: Match, names: list[str]) -> str:
        from tablee.terminal.transcript import result_lines

        viewer = self._viewer_label(names)
        if self.replay is not None and self.index == self.replay.length:
            return f"{viewer} · {' '.join(result_lines(match, self.language))}"
        return f"{viewer} · {match.game.words(self.language).say('title')}"

    def _viewer_label(self, names: list[str]) -> str:
        if self.viewer == ALL_SEATS:
            return self.words.say("terminal.seen_open")
        name = self.words.say("spectator") if self.viewer == SPECTATOR else names[self.viewer]
        return self.words.say("terminal.seen_by", name=name)

    def on_resize(self) -> None:
        """Redraw for the new size."""
        self.call_after_refresh(self.show)

    # Input

    def go_to(self, index: int) -> None:
        """Show the match after `index` moves, as far as there are that many."""
        if self.replay is not None:
            self.index = max(0, min(index, self.replay.length))
            self.show()

    def action_step(self, moves: int) -> None:
        """Go forward, or back by a negative number of moves."""
        self._is_playing = False
        self.go_to(self.index + moves)

    def action_first(self) -> None:
        """Go to the deal."""
        self.go_to(0)

    def action_last(self) -> None:
        """Go to the end."""
        self.go_to(self.replay.length if self.replay else 0)

    def action_toggle_playback(self) -> None:
        """Start or stop automatic playback."""
        self._is_playing = not self._is_playing

    def _play_next(self) -> None:
        if self._is_playing:
            self.go_to(self.index + 1)

    def on_progress_line_sought(self, message: ProgressLine.Sought) -> None:
        """Go to the position that was clicked."""
        if self.replay is not None:
            self.go_to(round(message.fraction * self.replay.length))

    def action_next_viewer(self) -> None:
        """Show the next viewer's view: a spectator's, each seat's, then everything that any seat knew."""
        if self.replay is not None:
            viewers = [SPECTATOR, *range(self.replay.match.seats), ALL_SEATS]
            self.viewer = viewers[(viewers.index(self.viewer) + 1) % len(viewers)]
            self.show()

    async def action_fork(self) -> None:
        """Ask how to play on from this position."""
        if self.replay is None or self.replay.at(self.index).is_over:
            self.query_one("#events", Static).update(self.words.say("refused.while_over"))
            return
        match = self.replay.at(self.index)
        seat = self.viewer if self.viewer >= 0 else match.to_move
        await self.app.push_screen(ForkDialog(self.words, match.names(self.language), self.index, seat), self._fork)

    def _fork(self, fork: Fork | None) -> None:
        if fork is not None and self.replay is not None:
            self.app.push_screen(self._open_table(forked_settings(self.replay, fork, self.language)))

    # Review

    def action_review(self) -> None:
        """Review the game, or show its review again."""
        if self.replay is None or self._is_reviewing:
            return
        if not self.replay.match.is_over:
            self.query_one("#events", Static).update(self.words.say("refused.not_over"))
        elif self._reviewed is not None:
            self.app.push_screen(TextDialog(self._reviewed.markdown()))
        else:
            self.run_worker(self._review(self.replay), name="review")

    async def _review(self, replay: Replay) -> None:
        from tablee.terminal.reviewed_replay import ReviewedReplay

        self._is_reviewing = True
        status = self.query_one("#events", Static)
        status.update(self.words.say("terminal.reviewing"))
        self._reviewed = await ReviewedReplay.make(
            replay.match,
            self.language,
            lambda done, of: status.update(self.words.say("terminal.reviewing_of", done=done, of=of)),
        )
        self._is_reviewing = False
        if self._reviewed is None:
            status.update(self.words.say("terminal.not_reviewed"))
        else:
            await self.app.push_screen(TextDialog(self._reviewed.markdown()), lambda _: self.show())

    def action_next_mistake(self) -> None:
        """Go to the position before the next mistake, as its player saw it, and say what was better."""
        if self._reviewed is None:
            self.action_review()
            return
        is_shown = self._mistake is not None and self._mistake.index == self.index
        mistake = self._reviewed.mistake_from(self.index + is_shown)
        if mistake is None:
            self.query_one("#events", Static).update(self.words.say("terminal.no_more_mistakes"))
            return
        self._mistake = mistake
        self.viewer = mistake.seat
        self.go_to(mistake.index)
        self.query_one("#events", Static).update(mistake.text)

    async def action_beliefs(self) -> None:
        """Show what hidden pieces could have been, by what the seat shown knew; from all seats nothing is."""
        from tablee.bots.simple import generator_for
        from tablee.review.beliefs import find_beliefs
        from tablee.review.coach import BELIEF_WORLDS
        from tablee.terminal.coaching import TableBeliefs

        if self.replay is None or self.viewer == ALL_SEATS:
            return
        match = self.replay.at(self.index)
        sight, words, names = match.sight(self.viewer), match.game.words(self.language), match.names(self.language)
        found = await asyncio.to_thread(find_beliefs, sight, BELIEF_WORLDS, generator_for(0, sight), words, names)
        await self.app.push_screen(TextDialog(TableBeliefs.of(found).markdown(self.words)))

    async def action_help(self) -> None:
        """Show help and rules."""
        rules = self.replay.match.game.rulebook(self.language) if self.replay else ""
        await self.app.push_screen(TextDialog(f"{self.words.say('terminal.replay_help')}\n\n{rules}"))


def forked_settings(replay: Replay, fork: Fork, language: str) -> PlaySettings:
    """Return settings to play on: with the true cards, or in a world consistent with the seat's sight."""
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


class ProgressLine(Static):
    """A line that shows the current position in the game; a click goes to another position."""

    @dataclass
    class Sought(Message):
        """A position was clicked."""

        fraction: float  # of the game, from 0 to 1

    def __init__(self) -> None:
        super().__init__(id="progress", markup=False)

    def show(self, index: int, length: int) -> None:
        """Show `index` of `length` moves."""
        number = f" {index}/{length}"
        width = max(self.size.width - len(number) - 1, 1)
        at = index * (width - 1) // length if length else 0
        self.update(Text.assemble(("━" * at, "bold"), "●", ("─" * (width - at - 1), "dim"), number))

    def on_click(self, event: events.Click) -> None:
        """Report the clicked position."""
        self.post_message(self.Sought(min(event.x / max(self.size.width - 8, 1), 1.0)))


class ForkDialog(ModalScreen["Fork | None"]):
    """Asks for the seat, the cards and the bots with which to play on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "confirm", show=False, priority=True),
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
        """Create the widgets."""
        words = self.words
        cards = [(False, words.say("terminal.true_cards")), (True, words.say("terminal.fresh_world"))]
        with Vertical(id="dialog", classes="small"):
            yield Static(words.say("terminal.fork"), markup=False)
            yield ChoiceField("seat", words.say("terminal.your_seat"), list(enumerate(self.names)), self.seat)
            yield ChoiceField("cards", words.say("terminal.cards"), cards, False)
            yield ChoiceField("bot", words.say("terminal.bots"), bot_choices(words), "club")
            yield Static(words.say("terminal.fork_keys"), markup=False)

    def on_mount(self) -> None:
        """Focus the choice of cards."""
        self.query(ChoiceField)[1].focus()

    def action_confirm(self) -> None:
        """Return the chosen fork."""
        from tablee.tables.forks import Fork

        seat, is_imagined, bot = (field.value for field in self.query(ChoiceField))
        self.dismiss(Fork(self.moves, seat, bot, is_imagined))
