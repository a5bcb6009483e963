"""A table in this process: bots decide in a thread, so that the screen stays responsive."""

from __future__ import annotations

import asyncio

from tablee.bots.bot import Bot
from tablee.bots.roster import dismiss
from tablee.core.match import Match
from tablee.core.view import Event
from tablee.core.warmup import warm
from tablee.core.words import common
from tablee.terminal.hosts import Callbacks, Display
from tablee.terminal.input import parse_typed
from tablee.terminal.play_settings import PlaySettings
from tablee.terminal.transcript import result_lines

BOT_PAUSE = 0.35  # seconds after a bot's move, so that a player can follow


class LocalHost:
    """One player and bots."""

    def __init__(self, settings: PlaySettings, pause: float = BOT_PAUSE) -> None:
        self.settings = settings
        self.language = settings.language
        self.callbacks = Callbacks()
        self.exit_message = ""
        self.match: Match | None = None
        self.bots: dict[int, Bot] = {}
        self._pause = pause
        self._words = common(settings.language)
        self._notice = ""
        self._last_events: tuple[Event, ...] = ()
        self._turn: asyncio.Future[int] | None = None
        self._rematch = asyncio.Event()
        self._is_saved = False

    # Display

    def display(self) -> Display:
        """Return what to show now."""
        if self.match is None:
            return Display(self.settings.title, tuple(self.settings.players), notice=self._notice)
        names = tuple(self.match.names(self.language))
        view = self.match.view(self.settings.seat, self.language)
        if not self.match.is_over:
            return Display(self.settings.title, names, view, self._notice, self._last_events)
        result = (*result_lines(self.match, self.language), self.exit_message)
        return Display(self.settings.title, names, view, self._notice, self._last_events, result, ("rematch",))

    def _set_notice(self, notice: str) -> None:
        self._notice = notice
        self.callbacks.changed()

    async def rulebook(self) -> str:
        """Return the rules, in Markdown."""
        return self.settings.game.rulebook(self.language)

    # Running the game

    async def run(self) -> None:
        """Play to the end and save the record; again for each rematch."""
        while True:
            await self._deal()
            await self._play()
            self._save()
            self.callbacks.changed()
            self._rematch.clear()
            await self._rematch.wait()

    async def _play(self) -> None:
        assert self.match is not None
        while not self.match.is_over:
            is_own = self.match.to_move == self.settings.seat
            move = await (self._own_move() if is_own else self._bot_move())
            self.match.play(move)
            self._last_events = tuple(self.match.events(self.settings.seat, self.language))
            self.callbacks.logged([event.text for event in self._last_events])
            self._set_notice("")
            await asyncio.sleep(0 if is_own else self._pause)

    async def _deal(self) -> None:
        """Compile the game if it is played for the first time, then deal."""
        loop = asyncio.get_running_loop()
        once = self._words.say("compiling.once", title=self.settings.title) + self._words.say("colon")

        def progress(done: int, steps: int) -> None:
            loop.call_soon_threadsafe(self._set_notice, f"{once} {done}/{steps} …")

        await asyncio.to_thread(warm, self.settings.game, self.settings.warmup_plan(), progress)
        self.match, self.bots = await asyncio.to_thread(self._start)
        self._last_events, self._is_saved = (), False
        self._set_notice("")

    def _start(self) -> tuple[Match, dict[int, Bot]]:
        match = self.settings.start_match()
        match.view(self.settings.seat, self.language)  # loads what drawing needs in this thread, not in the screen's
        return match, self.settings.make_bots()

    async def _bot_move(self) -> int:
        assert self.match is not None
        seat = self.match.to_move
        self._set_notice(self._words.say("terminal.thinking", name=self.match.names(self.language)[seat]))
        sight, moves = self.match.sight(seat), self.match.legal_moves()
        return (await asyncio.to_thread(self.bots[seat].decide, sight, moves)).move

    async def _own_move(self) -> int:
        self._turn = asyncio.get_running_loop().create_future()
        try:
            return await self._turn
        finally:
            self._turn = None

    # Input

    def play(self, text: str) -> str:
        """Play a typed move; return why it is refused, or an empty string."""
        if self.match is None or self.match.is_over:
            return self._words.say("refused.while_over" if self.match else "terminal.loading")
        if self._turn is None or self._turn.done():
            return self._words.say("refused.not_your_turn", name=self.match.names(self.language)[self.match.to_move])
        choices = self.match.view(self.settings.seat, self.language).choices
        move = parse_typed(text, choices, self.match, self.language)
        if isinstance(move, str):
            return move
        self._turn.set_result(move)
        return ""

    def request(self, command: str, argument: str) -> str:
        """Start a rematch after the end; no other command is possible."""
        if command != "rematch" or self.match is None or not self.match.is_over:
            return self._words.say("terminal.no_command", command=command)
        self._rematch.set()
        return ""

    async def close(self) -> None:
        """Save the record of the moves played so far, and end the bots."""
        self._save()
        for bot in self.bots.values():
            dismiss(bot)

    def _save(self) -> None:
        if self.match is not None and not self._is_saved:
            self._is_saved = True
            self.exit_message = self._words.say("play.saved", path=self.settings.save_record(self.match, self.bots))
