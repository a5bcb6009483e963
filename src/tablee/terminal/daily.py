"""Daily tables of a server, for the terminal: listed, begun, compared, and checked when their deals are opened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from urllib.error import URLError

import msgspec

from tablee.core.errors import TableeError
from tablee.core.words import common
from tablee.protocol.daily import DailyDay, DailyGame
from tablee.records import commitment
from tablee.tables.daily_words import result_lines
from tablee.terminal.addresses import Address, ServerClient


class DailyServer:
    """The daily tables of one server, as the person who uses this terminal sees them."""

    def __init__(self, url: str, language: str) -> None:
        self.address = Address.of_server(url)
        self.client = ServerClient(self.address)
        self.language = language

    @property
    def is_known(self) -> bool:
        """Whether the server has given this terminal a name before."""
        return bool(self.client.cookie)

    def day(self, day: str = "") -> DailyDay:
        """Return the tables of a day, today's by default; raises TableeError with the server's reason."""
        content = self._answer(f"/api/daily/{day}" if day else "/api/daily")
        return msgspec.json.decode(content, type=DailyDay)

    def begin(self, game: str) -> Address:
        """Begin one's try of today, or go on with it; return the address of its table."""
        made = json.loads(self._answer(f"/api/games/{game}/daily", is_made=True))
        return replace(self.address, table=made["id"])

    def _answer(self, path: str, *, is_made: bool = False) -> bytes:
        address = f"{path}?lang={self.language}"
        try:
            return self.client.post(address) if is_made else self.client.get(address)
        except URLError as error:
            raise TableeError(f"the server {self.address.server} does not answer: {error.reason}") from None


def day_lines(shown: DailyDay, language: str) -> Iterator[str]:
    """Yield the tables of a day, a line each, with one's own results."""
    words = common(language)
    yield words.say("daily.day", day=shown.day)
    for game in shown.games:
        yield f"  {game.game}{words.say('colon')} {_state(game, language)}"
    if shown.streak:
        yield words.say("daily.streak", n=shown.streak)


def _state(game: DailyGame, language: str) -> str:
    words = common(language)
    if game.result is not None:
        bots = [f"{bot.label} {bot.rank}." for bot in game.bot_results]
        told = list(result_lines(game, 0, words))
        return "; ".join([*told, words.say("daily.bots", bots=", ".join(bots))] if bots else told)
    state = words.say(f"daily.{game.state}")
    return f"{state} {words.say('daily.finished', n=game.players)}" if game.players else state


def check_lines(shown: DailyDay, game: str | None, noted: str | None, language: str) -> tuple[list[str], bool]:
    """Return a line per deal of a day that says whether seed and commitment fit, and whether all of them do.

    `noted` is the commitment of `game` that a person wrote down before the day.
    """
    words, lines, fits = common(language), [], True
    for each in shown.games:
        if game is not None and each.game != game:
            continue
        published = noted or each.commitment
        if each.seed is None:
            lines.append(words.say("daily.closed", game=each.game, commitment=published))
            fits = fits and published == each.commitment
            continue
        is_right = commitment(int(each.seed, 16)) == published == each.commitment
        fits = fits and is_right
        key = "daily.right" if is_right else "daily.wrong"
        lines.append(words.say(key, game=each.game, seed=each.seed, commitment=published))
    return lines, fits
