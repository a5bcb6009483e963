"""Games, bots and rows of the lobby, described in a language."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import cast

from tablee.bots.roster import USUAL_BOT, bot_label, known_names
from tablee.core.game import Game, Option, Value, show
from tablee.core.lessons import lesson_of
from tablee.core.puzzles import count_puzzles
from tablee.core.registry import all_games, find_game
from tablee.core.words import Words, common
from tablee.protocol.rest import BotInfo, ChoiceInfo, GameInfo, Lobby, Minute, OptionInfo, TableSummary
from tablee.protocol.shown import Phase, SeatShown
from tablee.protocol.stored import decode_summary
from tablee.server.identity import Person
from tablee.server.warmup import compiled_share
from tablee.storage import Store, TableRow
from tablee.tables.table import GATHERING

MAX_LISTED = 100  # tables in the lobby's list
MAX_LISTED_PER_PERSON = 3  # of which one person is the first at the table
MAX_CONSIDERED = 500  # newest tables
LISTED_SECONDS = 86_400.0  # for which a table is listed that waits for players, since its last change


def game_info(game: Game, language: str) -> GameInfo:
    """Describe a game."""
    words = game.words(language)
    return GameInfo(
        name=game.name,
        title=words.say("title"),
        tagline=words.say("tagline"),
        summary=words.say("summary"),
        seats=(game.seats.start, game.seats.stop - 1),
        usual_seats=game.usual_seats,
        minutes=game.minutes,
        version=game.version,
        compiled=compiled_share(game),
        board=own_file(game, "board.js"),
        style=own_file(game, "board.css"),
        cover=own_file(game, "cover.svg"),
        options=[_option_info(option, words) for option in game.options],
        minute=_minute(words),
        has_lesson=lesson_of(game) is not None,
        puzzles=count_puzzles(game),
    )


def _minute(words: Words) -> Minute | None:
    keys = Minute.__struct_fields__
    return Minute(*(words.say(f"minute.{key}") for key in keys)) if f"minute.{keys[0]}" in words else None


def own_file(game: Game, name: str) -> str | None:
    """Return the address of a file of a game's folder `web`, None if it has none of that name."""
    return f"/games/{game.name}/web/{name}" if (game.folder / "web" / name).is_file() else None


def _option_info(option: Option, words: Words) -> OptionInfo:
    choices = [ChoiceInfo(value, _choice_label(option, value, words)) for value in option.choices]
    label, help_text = words.say(f"options.{option.name}.label"), words.say(f"options.{option.name}.help")
    return OptionInfo(option.name, label, help_text, option.clause, option.default, choices)


def _choice_label(option: Option, value: Value, words: Words) -> str:
    if isinstance(value, bool):
        return common(words.language).say(f"yes_no.{show(value)}")
    key = f"options.{option.name}.choices.{value}"
    return words.say(key) if key in words else str(value)


def bot_infos(language: str) -> list[BotInfo]:
    """Describe the bots, weakest first."""
    words = common(language)
    return [BotInfo(name, bot_label(name, words), name == USUAL_BOT) for name in known_names()]


async def lobby_shown(store: Store, person: Person | None, language: str) -> Lobby:
    """Return the open tables, and those of a person."""
    own = person.id if person else ""
    mine = await store.tables_of(own) if own else []
    listed = fairly_listed(await store.open_tables(MAX_CONSIDERED), time.time())
    served = {game.name for game in all_games()}
    rows = [[table_summary(row, own, language) for row in part if row.game in served] for part in (listed, mine)]
    return Lobby(*rows)


def fairly_listed(rows: Iterable[TableRow], now: float) -> list[TableRow]:
    """Choose the open tables that the lobby lists, newest first: a few per person, so that nobody fills the list.

    Tables that wait for players without any change for a day are left out; a link to them works on.
    """
    by_owner: dict[str, list[TableRow]] = {}
    for row in rows:
        if row.phase != GATHERING or row.updated_at > now - LISTED_SECONDS:
            by_owner.setdefault(next(filter(None, decode_summary(row.summary).people), ""), []).append(row)
    in_turn = [
        row for rank in range(MAX_LISTED_PER_PERSON) for own in by_owner.values() for row in own[rank : rank + 1]
    ]
    return sorted(in_turn[:MAX_LISTED], key=lambda row: -row.created_at)


def table_summary(row: TableRow, person: str, language: str) -> TableSummary:
    """Describe a table in the lobby to a person."""
    stored = decode_summary(row.summary)
    own = stored.people.index(person) if person and person in stored.people else None
    seats = [
        SeatShown(
            seat=seat.seat,
            kind=seat.kind,
            name=seat.name,
            bot=seat.bot,
            is_you=seat.seat == own,
            is_covered=seat.is_covered,
            level="" if seat.bot is None else bot_label(seat.bot, common(language)),
            is_host=seat.is_host,
        )
        for seat in stored.seats
    ]
    return TableSummary(
        id=row.id,
        game=row.game,
        title=find_game(row.game).words(language).say("title"),
        phase=cast(Phase, row.phase),
        seats=seats,
        is_open=row.is_open,
        your_seat=own,
        is_your_turn=own is not None and stored.on_turn == own,
        created_at=row.created_at,
        on_turn=stored.on_turn,
        is_locked=stored.is_locked,
        is_lesson=stored.is_lesson,
        has_coach=stored.has_coach,
        day=stored.day,
        kept_seat=stored.kept_for.index(person) if person and person in stored.kept_for else None,
    )
