"""Where the games of a dataset come from: bots that play them, record files, or the database of a server."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from tablee.arena.contest import Contest
from tablee.arena.matches import Task
from tablee.arena.pool import Pool, play_all
from tablee.bots.external import BotError
from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.datasets.rows import PlayedGame
from tablee.records import Record
from tablee.records.header import Deal
from tablee.storage.export import finished_tables, record_of
from tablee.storage.store import Store


def bot_tasks(contest: Contest, games: int) -> Iterator[Task]:
    """Yield games of the bots of a contest: game n has deal n, and for each seat a bot is drawn."""
    for number in range(games):
        draw = random.Random(f"{contest.seed} {number} lineup")
        yield Task(
            contest.name,
            contest.game.name,
            contest.setup.options,
            contest.seed,
            number,
            rotation=0,
            lineup=tuple(draw.choice(contest.bots) for _ in range(contest.setup.seats)),
            external_bots=contest.external_bots,
            keeps_record=True,
        )


def play_tasks(pool: Pool, tasks: Sequence[Task], max_pending: int) -> Iterator[tuple[int, PlayedGame]]:
    """Yield the number of each game and the game as it ends; raise BotError if a bot gives no legal move."""
    for result, text in play_all(pool, tasks, max_pending):
        if result.forfeit is not None:
            bot = result.lineup[result.forfeit.seat]
            raise BotError(f"game {result.deal}: the bot {bot!r} gave no legal move: {result.forfeit.reason}")
        assert text is not None
        yield result.deal, PlayedGame.of(Record.parse(text))


def recorded_games(source: str, game: Game) -> Iterator[PlayedGame]:
    """Yield the finished games of a folder of records (such as an arena's), of a record, or of a server's database.

    Games that began in a stored position, or with another version of the rules, are left out.
    """
    versions = (game.version, *game.compatible_versions)
    path = Path(source)
    if path.is_dir():
        records = _records_in(path)
    else:
        records = iter([Record.load(path)]) if path.suffix == ".tablee" else _records_in_database(source)
    for record in records:
        header = record.header
        is_same_game = header.game == game.name and header.game_version in versions
        if is_same_game and record.outcome is not None and isinstance(header.origin, Deal):
            yield PlayedGame.of(record)


def _records_in(folder: Path) -> Iterator[Record]:
    paths = sorted(folder.rglob("*.tablee"))
    if not paths:
        raise TableeError(f"there are no records (*.tablee) in {folder}")
    for path in paths:
        yield Record.load(path)


def _records_in_database(url: str) -> Iterator[Record]:
    if "://" not in url and not Path(url).is_file():
        raise TableeError(f"{url} is neither a folder of records, nor a record, nor a database")
    store = Store(url)
    store.open()
    try:
        for table in finished_tables(store):
            yield record_of(table)
    finally:
        store.close()
