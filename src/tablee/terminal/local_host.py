"""A table in this process: bots think in a thread, so that the screen stays alive."""

from __future__ import annotations

import asyncio

from tablee.bots.bot import Bot
from tablee.bots.roster import dismiss
from tablee.core.match import Match
from tablee.core.view import Event
from tablee.core.warmup import warm
from tablee.core.words import common
from tablee.terminal.hosts import Listener, Scene
from tablee.terminal.input import understood
from tablee.terminal.play_settings import PlaySettings
from tablee.terminal.story import end_lines

BOT_PAUSE = 0.35  # seconds after a bot's move, for the eye


class LocalHost:
    """One person and bots."""

    def __init__(self, settings: PlaySettings, pause: float = BOT_PAUSE) -> None:
        self.settings = settings
        self.language = settings.language
        self.listener = Listener()
        self.farewell = ""
        self.match: Match | None = None
        self.bots: dict[int, Bot] = {}
        self._pause = pause
        self._words = common(settings.language)
        self._notice = ""
        self._told: tuple[Event, ...] = ()
        self._turn: asyncio.Future[int] | None = None
        self._again = asyncio.Event()
        self._is_kept = False

    # What there is to see

    def scene(self) -> Scene:
        """Return what there is to see."""
        if self.match is None:
            return Scene(self.settings.title, tuple(self.settings.players), notice=self._notice)
        names = tuple(self.match.names(self.language))
        view = self.match.view(self.settings.seat, self.language)
        if not self.match.is_over:
            return Scene(self.settings.title, names, view, self._notice, self._told)
        end = (*end_lines(self.match, self.language), self.farewell)
        return Scene(self.settings.title, names, view, self._notice, self._told, end, ("rematch",))

    def _say(self, notice: str) -> None:
        self._notice = notice
        self.listener.changed()

    async def rulebook(self) -> str:
        """Return the rules, in Markdown."""
        return self.settings.game.rulebook(self.language)

    # The course of the game

    async def run(self) -> None:
        """Play to the end, save the record, and play again if that is wished."""
        while True:
            await self._begin()
            await self._play()
            self._keep()
            self.listener.changed()
            self._again.clear()
            await self._again.wait()

    async def _play(self) -> None:
        assert self.match is not None
        while not self.match.is_over:
            is_own = self.match.to_move == self.settings.seat
            move = await (self._own_move() if is_own else self._bot_move())
            self.match.play(move)
            self._told = tuple(self.match.events(self.settings.seat, self.language))
            self.listener.told([event.text for event in self._told])
            self._say("")
            await asyncio.sleep(0 if is_own else self._pause)

    async def _begin(self) -> None:
        """Compile what is needed, if this is the first time, and deal."""
        loop = asyncio.get_running_loop()
        once = self._words.say("compiling.once", title=self.settings.title) + self._words.say("colon")

        def progress(done: int, steps: int) -> None:
            loop.call_soon_threadsafe(self._say, f"{once} {done}/{steps} …")

        await asyncio.to_thread(warm, self.settings.game, self.settings.warmup_plan(), progress)
        self.match, self.bots = await asyncio.to_thread(self._dealt)
        self._told, self._is_kept = (), False
        self._say("")

    def _dealt(self) -> tuple[Match, dict[int, Bot]]:
        match = self.settings.begin()
        match.view(self.settings.seat, self.language)  # loads what drawing needs, outside the screen's thread
        return match, self.settings.opponents()

    async def _bot_move(self) -> int:
        assert self.match is not None
        seat = self.match.to_move
        self._say(self._words.say("terminal.thinking", name=self.match.names(self.language)[seat]))
        sight, moves = self.match.sight(seat), self.match.legal_moves()
        return (await asyncio.to_thread(self.bots[seat].decide, sight, moves)).move

    async def _own_move(self) -> int:
        self._turn = asyncio.get_running_loop().create_future()
        try:
            return await self._turn
        finally:
            self._turn = None

    # What the person does

    def play(self, text: str) -> str:
        """Play a move, given as a person typed it; return why not."""
        if self.match is None or self.match.is_over:
            return self._words.say("refused.while_over" if self.match else "terminal.laying")
        if self._turn is None or self._turn.done():
            return self._words.say("refused.not_your_turn", name=self.match.names(self.language)[self.match.to_move])
        choices = self.match.view(self.settings.seat, self.language).choices
        meant = understood(text, choices, self.match, self.language)
        if isinstance(meant, str):
            return meant
        self._turn.set_result(meant)
        return ""

    def ask(self, command: str, argument: str) -> str:
        """Play again, once the game is over; nothing else can be asked of bots alone."""
        if command != "rematch" or self.match is None or not self.match.is_over:
            return self._words.say("terminal.no_command", command=command)
        self._again.set()
        return ""

    async def close(self) -> None:
        """Leave; the record is saved as far as the game went."""
        self._keep()
        for bot in self.bots.values():
            dismiss(bot)

    def _keep(self) -> None:
        if self.match is not None and not self._is_kept:
            self._is_kept = True
            self.farewell = self._words.say("play.saved", path=self.settings.keep(self.match, self.bots))
