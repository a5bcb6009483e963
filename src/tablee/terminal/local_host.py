"""A table in this process: the same tables, commands and bots loop as on a server, with events in memory."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress

import msgspec

from tablee.bots.bot import Bot
from tablee.bots.roster import dismiss, known_names, make_bot
from tablee.bots.search import SearchBot
from tablee.core.errors import TableeError
from tablee.core.match import Match
from tablee.core.randomness import secret_seed
from tablee.core.sight import Sight
from tablee.core.warmup import warm
from tablee.protocol.messages import Ack, CommandRequest, ExplainRequest, Explanation, RefusedMessage, RematchRequest
from tablee.protocol.shown import TableShown
from tablee.review.coach import Coach
from tablee.review.hint_wording import Hint, tell_hint
from tablee.tables.coached_decisions import coached_decision
from tablee.tables.coaching import check_coached
from tablee.tables.commands import Actor, Rematch
from tablee.tables.creation import Secrets, rematch_table
from tablee.tables.events import encode_event
from tablee.tables.evolution import replay_events
from tablee.tables.explanations import explain
from tablee.tables.live import LiveTable, MemoryJournal
from tablee.tables.log import ended_round
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused
from tablee.tables.requests import command_of
from tablee.tables.table import OVER, Table
from tablee.terminal.coaching import TableBeliefs
from tablee.terminal.hosts import COMPILER, MAX_LOG_LINES, Host, Reply
from tablee.terminal.pace import FASTEST
from tablee.terminal.play_settings import PLAYER, PlaySettings

BOT_PAUSE = 0.35  # seconds per move of a bot, so that a player can follow


class LocalHost(Host):
    """One player and bots."""

    def __init__(self, settings: PlaySettings, bot_pause: float = BOT_PAUSE, pace: str = FASTEST) -> None:
        super().__init__(settings.title, settings.language, pace)
        self.settings = settings
        self._bot_pause = bot_pause
        self._journal = MemoryJournal()
        self._bots = LocalBots(settings.seed, settings.threads, self._fail)
        self._thinking = Coach()
        self._live: LiveTable | None = None
        self._rematches = 0
        self._left: asyncio.Future[None] | None = None
        self._loading: set[asyncio.Task[None]] = set()

    @property
    def match(self) -> Match | None:
        """The match on the table, None before the deal."""
        return None if self._live is None else self._live.table.match

    async def rulebook(self) -> str:
        """Return the rules, in Markdown."""
        return self.settings.game.rulebook(self.language)

    # Lifetime

    async def run(self) -> None:
        """Compile the game if needed, deal, and stay until the table is left or a bot fails."""
        loop = asyncio.get_running_loop()
        self._left = loop.create_future()
        label = self.words.say("compiling.once", title=self.title) + self.words.say("colon")

        def progress(done: int, steps: int) -> None:
            loop.call_soon_threadsafe(self._set_notice, f"{label} {done}/{steps} …")

        await in_daemon_thread(COMPILER, lambda: warm(self.settings.game, self.settings.warmup_plan(), progress))
        opened = await asyncio.to_thread(self.settings.open_table)
        await self._journal.append(0, list(replay_events(opened.table.id, opened.events)))
        await self._switch_to(opened.table.id)
        await self._left

    async def _switch_to(self, table_id: str) -> None:
        """Run and show a table of the journal."""
        if self._live is not None:
            await self._live.close()
        steps = list(replay_events(table_id, await self._journal.events(table_id)))
        self._live = LiveTable(steps, self._journal, self._bots, bot_pause=self._bot_pause)
        self._live.watchers.add(self)
        self._is_saved = False
        await self._load()

    async def close(self) -> None:
        """Leave the table; the record of the moves played so far is saved, or a guided round kept."""
        if self._live is not None:
            await self._live.close()
        self.save()
        await self._thinking.close()
        if self._left is not None and not self._left.done():
            self._left.set_result(None)

    def save(self) -> None:
        """Save the record of the moves played so far, or keep a guided round."""
        if self._live is not None:
            self._save()
            if self._live.table.is_lesson:
                self._keep_lesson(self._live.table)
        self._bots.close()

    def _keep_lesson(self, table: Table) -> None:
        """Keep the events of a guided round that is not finished, to go on from there."""
        path = self.settings.lesson_path
        if table.phase == OVER:
            path.unlink(missing_ok=True)
            return
        lines = [encode_event(event) for event in self._journal.kept(table.id)]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        self.exit_message = self.words.say("lesson.saved", game=table.created.game)

    def _fail(self, error: TableeError) -> None:
        """Leave `run` with the error of a bot."""
        if self._left is not None and not self._left.done():
            self._left.set_exception(error)

    def _save_finished(self) -> None:
        self._is_saved = False
        self._save()

    def _save(self) -> None:
        if self._live is not None and not self._is_saved:
            self._is_saved = True
            if self._live.table.is_lesson:
                return  # kept by `_keep_lesson`
            self.exit_message = self.words.say("play.saved", path=self.settings.save_record(self._live.table))

    # The table as the player sees it

    def wake(self, table_id: str) -> None:
        """Show what has happened; called by the table after each change."""
        live = self._live
        if live is None or self.table is None or table_id != self.table.id:
            return
        viewer = live.table.viewer_of(PLAYER)
        steps = live.steps_after(self.table.number) if viewer == self.table.viewer else None
        if steps is None:  # the player has left the seat, or taken one
            task = asyncio.create_task(self._load())
            self._loading.add(task)
            task.add_done_callback(self._loading.discard)
            return
        lines = [line for step in steps for line in live.lines(step, viewer, self.language)]
        rounds = [ended for step in steps if (ended := ended_round(step, viewer, self.language)) is not None]
        self._apply_event(lines, live.table.moves, rounds, self._shown(live.table, viewer))

    async def _load(self) -> None:
        """Show the whole table with its log."""
        live = self._live
        assert live is not None
        viewer = live.table.viewer_of(PLAYER)
        log = await live.log(viewer, self.language)
        page = log.page(MAX_LOG_LINES)
        self._set_table(self._shown(live.table, viewer), page.lines, page.rounds)

    def _shown(self, table: Table, viewer: int) -> TableShown:
        """Return the table as the player sees it; there is no chat with bots."""
        shown = table_shown(table, viewer, self.language)
        commands = tuple(command for command in shown.commands if command.type != "chat")
        return msgspec.structs.replace(shown, commands=commands)

    # Requests

    async def request(self, message: CommandRequest | ExplainRequest) -> Reply:
        """Execute a request and return the reply, as a server does."""
        assert self._live is not None
        try:
            if isinstance(message, ExplainRequest):
                return await self._explain(self._live.table, message)
            if isinstance(message, RematchRequest):
                return await self._rematch(self._live, message)
            number = await self._live.execute(command_of(message), self._actor(message.id))
            return Ack(message.id, message.table, number)
        except Refused as refused:
            return RefusedMessage(message.id, refused.code, refused.text(self.language), refused.clause)

    # The coach

    async def _ask_hint(self) -> Hint:
        assert self._live is not None
        table = self._live.table
        decision = coached_decision(table, table.viewer_of(PLAYER))
        advice = await self._thinking.advise(decision.sight, decision.position.legal_moves())
        view = decision.position.draw_view(decision.sight, self.language)
        return tell_hint(advice, view, decision.sight.game, self.language)

    async def _ask_beliefs(self) -> TableBeliefs:
        assert self._live is not None
        table, viewer = self._live.table, self._live.table.viewer_of(PLAYER)
        check_coached(table, viewer)
        assert table.match is not None
        found = await self._thinking.find_beliefs(table.sight(viewer), self.language, table.match.names(self.language))
        return TableBeliefs.of(found)

    def _actor(self, key: str) -> Actor:
        return Actor(PLAYER, self.settings.player_name, key=key)

    async def _explain(self, table: Table, message: ExplainRequest) -> Explanation:
        viewer = table.viewer_of(PLAYER)
        reason = await asyncio.to_thread(explain, table, viewer, message.targets, message.move, self.language)
        return Explanation(message.id, reason.text, reason.clause)

    async def _rematch(self, live: LiveTable, message: RematchRequest) -> Ack:
        """Open a table for the next game; with a seed given, the next deal is determined by it too."""
        self._rematches += 1
        seed = secret_seed() if self.settings.seed is None else self.settings.seed + self._rematches
        opened = rematch_table(f"rematch{self._rematches}", live.table, Secrets(seed, ""), PLAYER, time.time())
        number = await live.execute(Rematch(opened.table.id), self._actor(message.id), opened)
        return Ack(message.id, message.table, number, opened.table.id)


class LocalBots:
    """Bots that are kept as long as the host; without a time limit, so that a seed determines their decisions."""

    def __init__(self, seed: int | None, threads: int, fail: Callable[[TableeError], None]) -> None:
        self._seed = seed
        self._threads = threads  # of one search
        self._fail = fail
        self._bots: dict[tuple[int, str], Bot] = {}  # by seat and name

    def names(self) -> Collection[str]:
        """Return the names of all bots."""
        return known_names()

    async def move(self, table: Table, seat: int) -> str:
        """Return the move of the bot on turn; a bot that fails is reported, and ends the table."""
        match, name = table.match, table.seats[seat].bot
        assert match is not None
        assert name is not None
        try:
            return match.text(await asyncio.to_thread(self._decide, name, match.sight(seat), match.legal_moves()))
        except TableeError as error:
            self._fail(error)
            raise

    def _decide(self, name: str, sight: Sight, moves: list[int]) -> int:
        key = (sight.seat, name)
        if key not in self._bots:
            seed = secret_seed() if self._seed is None else self._seed + sight.seat
            self._bots[key] = bot = make_bot(name, sight.game, seed)
            if isinstance(bot, SearchBot):
                bot.threads = self._threads
        return self._bots[key].decide(sight, moves).move

    def close(self) -> None:
        """End the programs of external bots."""
        for bot in self._bots.values():
            dismiss(bot)


async def in_daemon_thread(name: str, work: Callable[[], object]) -> None:
    """Do work in a thread that the end of the program does not wait for, unlike those of `asyncio.to_thread`."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def run() -> None:
        error: Exception | None = None
        try:
            work()
        except Exception as raised:
            error = raised
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, done, error)

    threading.Thread(target=run, name=name, daemon=True).start()
    await done


def _settle(done: asyncio.Future[None], error: Exception | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
