"""What a move costs a server apart from sockets and database: to execute the command, and to draw what people are sent.

    python benchmarks/move_cost.py [--game NAME ...] [--moves 2000] [--turns 5] [--language en]

All seats of a table belong to people who watch it and ask for changes, as browsers do; their moves are drawn from the
choices they are shown. Prints a JSON line per game: microseconds of processor time per move in the quickest turn, and
the digest of all bytes that would be sent, which is the same in every version that shows the same.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any

from json_lines import print_line
from machine import description
from tablee.core.game import Game
from tablee.core.registry import all_games, find_game
from tablee.protocol.messages import PlayRequest, decode_client_message, encode
from tablee.server.event_messages import EventMessages, Viewing
from tablee.tables.bot_threads import BotThreads
from tablee.tables.commands import Actor, Claim
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.live import LiveTable, MemoryJournal
from tablee.tables.requests import command_of
from tablee.tables.table import OVER, Step

TABLES = 20  # that are played in turns, as at a busy server
SECONDS_PER_EVENT = 2.5  # of the tables' clocks
WARM_UP = 200  # moves before the first that is measured


class ClockedTable(LiveTable):
    """A table in memory that encodes what its people are sent; its clock goes by events, so that runs are equal."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.messages = EventMessages()
        super().__init__(*arguments, **options)

    def publish(self, steps: Sequence[Step]) -> None:
        """Take over stored steps, as a table of the server does."""
        self.messages.advance(self.table.number)
        super().publish(steps)

    def _now(self) -> float:
        return self.table.at + SECONDS_PER_EVENT


class PlayedTables:
    """Tables of one game at which people make random moves; a finished one is followed by another."""

    def __init__(self, game: Game, language: str) -> None:
        self.game = game
        self.people = [Actor(f"p{seat}", f"Player {seat}") for seat in range(min(3, game.usual_seats))]
        self.viewings = [Viewing(seat, language) for seat in range(len(self.people))]
        self.executing = self.drawing = 0.0  # seconds of processor time
        self.moves = self.bytes = 0
        self.digest = hashlib.sha256()
        self._generator = random.Random(f"move cost {game.name}")
        self._opened = 0
        self._bots = BotThreads(1.0)
        self._tables: list[ClockedTable] = []

    async def _open(self) -> ClockedTable:
        self._opened += 1
        request = TableRequest(self.game.name, seats=len(self.people), is_open=True)
        opened = new_table(f"t{self._opened}", request, Secrets(self._opened, "invite"), self.people[0], 1e9)
        live = await ClockedTable.create(opened, MemoryJournal(), self._bots)
        for person in self.people[1:]:
            await live.execute(Claim(None), person)
        for viewing in self.viewings:
            live.messages.shown(live, viewing)
        return live

    async def play(self, moves: int) -> None:
        """Make moves, one table after the other."""
        while len(self._tables) < TABLES:
            self._tables.append(await self._open())
        for number in range(moves):
            index = number % TABLES
            await self._move(self._tables[index])
            if self._tables[index].table.phase == OVER:
                self._tables[index] = await self._open()

    async def _move(self, live: ClockedTable) -> None:
        table = live.table
        assert table.on_turn is not None
        person, view = self.people[table.on_turn], live.messages.shown(live, self.viewings[table.on_turn]).view
        assert view is not None
        request = PlayRequest(f"m{table.number}", table.id, table.number, self._generator.choice(view.choices).text)
        text = encode(request).decode()
        begun = time.process_time()
        message: Any = decode_client_message(text)
        await live.execute(command_of(message), Actor(person.person, person.name, key=message.id))
        executed = time.process_time()
        sent = [text for viewing in self.viewings for text in self._texts(live, viewing, table.number)]
        drawn = time.process_time()
        self.executing, self.drawing = self.executing + executed - begun, self.drawing + drawn - executed
        self.moves += 1
        for each in sent:
            self.bytes += len(each)
            self.digest.update(each)

    @staticmethod
    def _texts(live: ClockedTable, viewing: Viewing, known: int) -> Iterator[bytes]:
        steps = live.steps_after(known)
        assert steps is not None
        for step in steps:
            yield live.messages.text(live, step, viewing, known)


async def measure(game: Game, moves: int, turns: int, language: str) -> dict[str, Any]:
    """Return the figures of a game."""
    played = PlayedTables(game, language)
    await played.play(WARM_UP)
    found = []
    for _ in range(turns):
        gc.collect()
        gc.disable()  # its pauses are another matter: benchmarks/load.py
        before = played.executing, played.drawing, played.moves
        await played.play(moves)
        gc.enable()
        count = played.moves - before[2]
        found.append(((played.executing - before[0]) / count, (played.drawing - before[1]) / count))
    executing, drawing = (min(turn[part] for turn in found) * 1e6 for part in (0, 1))
    return {
        "seats": len(played.people),
        "execute_us": round(executing, 1),
        "draw_us": round(drawing, 1),
        "total_us": round(min(sum(turn) for turn in found) * 1e6, 1),
        "bytes_per_move": round(played.bytes / played.moves),
        "digest": played.digest.hexdigest()[:16],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="what a move costs a server apart from sockets and database")
    parser.add_argument("--game", nargs="+", default=[game.name for game in all_games()])
    parser.add_argument("--moves", type=int, default=2000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--language", default="en")
    options = parser.parse_args()
    print_line(**description())
    for name in options.game:
        figures = asyncio.run(measure(find_game(name), options.moves, options.turns, options.language))
        print_line(figure="move_cost", game=name, **figures)


if __name__ == "__main__":
    main()
