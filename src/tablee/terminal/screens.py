"""Screens ready to run; slow imports happen in a thread after the screen is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tablee.core.game import Game
from tablee.core.registry import find_game
from tablee.core.words import common
from tablee.terminal.app import TableeApp
from tablee.terminal.lobby import LobbyScreen
from tablee.terminal.play_settings import PlaySettings
from tablee.terminal.table_screen import TableScreen

if TYPE_CHECKING:
    from tablee.core.match import Match
    from tablee.terminal.addresses import Address
    from tablee.terminal.hosts import Host
    from tablee.terminal.replay_screen import ReplayScreen


def make_app(screen: TableScreen | LobbyScreen | ReplayScreen) -> TableeApp:
    """Return the application with its first screen."""
    return TableeApp(lambda: screen)


def open_table(settings: PlaySettings) -> TableScreen:
    """Return the screen of a table in this process."""

    def open_host() -> Host:
        from tablee.core.warmup import without_scipy

        with without_scipy():
            from tablee.terminal.local_host import LocalHost
            from tablee.terminal.pace import stored_pace

        return LocalHost(settings, pace=stored_pace())

    return TableScreen(settings.title, settings.language, open_host)


def open_lobby(games: Sequence[Game], settings: PlaySettings) -> LobbyScreen:
    """Return the lobby."""
    return LobbyScreen(games, settings, open_table)


def join_table(address: Address, language: str, name: str | None, seat: int | None = None) -> TableScreen:
    """Return the screen of a table on a server, for a player of this name or, without one, for a spectator."""

    def open_host() -> Host:
        from tablee.core.warmup import without_scipy

        with without_scipy():
            from tablee.terminal.pace import stored_pace
            from tablee.terminal.server_host import connect_to_table

        return connect_to_table(address, language, name, seat, stored_pace())

    return TableScreen(common(language).say("terminal.server"), language, open_host)


def open_replay(file: Path, language: str, viewer: int, *, trust_start: bool) -> ReplayScreen:
    """Return the screen of a saved game."""
    from tablee.terminal.replay_screen import ReplayScreen

    def open_match() -> Match:
        from tablee.core.warmup import PLAYING, warm, without_scipy

        with without_scipy():
            from tablee.records import Record

        record = Record.load(file)
        warm(find_game(record.header.game), PLAYING, lambda done, steps: None)
        return record.replay(trust_start=trust_start)

    return ReplayScreen(language, open_match, open_table, viewer)
