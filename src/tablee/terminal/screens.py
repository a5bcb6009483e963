"""The first screens of the application; each loads what is heavy in a thread, when it is drawn already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tablee.core.game import Game
from tablee.core.registry import find_game
from tablee.core.warmup import PLAYING, warm, without_scipy
from tablee.core.words import common
from tablee.terminal.app import TableeApp
from tablee.terminal.lobby import LobbyScreen
from tablee.terminal.play_settings import PlaySettings
from tablee.terminal.table_screen import TableScreen

if TYPE_CHECKING:
    from tablee.core.match import Match
    from tablee.terminal.hosts import Host
    from tablee.terminal.replay_screen import ReplayScreen


def application(first: TableScreen | LobbyScreen | ReplayScreen) -> TableeApp:
    """Return the application that opens with a screen."""
    return TableeApp(lambda: first)


def table(settings: PlaySettings) -> TableScreen:
    """Return a table in this process."""

    def open_host() -> Host:
        with without_scipy():
            from tablee.terminal.local_host import LocalHost

        return LocalHost(settings)

    return TableScreen(settings.title, settings.language, open_host)


def lobby(games: Sequence[Game], settings: PlaySettings) -> LobbyScreen:
    """Return the lobby."""
    return LobbyScreen(games, settings, table)


def joined(url: str, language: str, name: str, *, sits: bool, seat: int | None = None) -> TableScreen:
    """Return a table at a server."""
    from tablee.terminal.addresses import Address, Visitor

    address = Address.parse(url)

    def open_host() -> Host:
        with without_scipy():
            from tablee.terminal.server_host import ServerHost

        visitor = Visitor(address)
        if sits:
            visitor.introduce(name)
        return ServerHost(address, visitor, language, sits=sits, seat=seat)

    return TableScreen(common(language).say("terminal.server"), language, open_host)


def replayed(file: Path, language: str, viewer: int, *, trust_start: bool) -> ReplayScreen:
    """Return a saved game to look at."""
    from tablee.terminal.replay_screen import ReplayScreen

    def open_match() -> Match:
        with without_scipy():
            from tablee.records import Record

        record = Record.load(file)
        warm(find_game(record.header.game), PLAYING, lambda done, steps: None)
        return record.replay(trust_start=trust_start)

    return ReplayScreen(language, open_match, table, viewer)
