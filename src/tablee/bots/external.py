"""Bots in any language: programs that read and write lines of JSON (docs/bots.md is their side of it)."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tomllib
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO, Any

from tablee.bots.bot import Decision, demand_own_turn
from tablee.core.errors import BadMove, BadSetup, TableeError
from tablee.core.game import Game
from tablee.core.sight import Sight
from tablee.core.words import common

PROTOCOL = 1
LISTED_IN = "TABLEE_BOTS"  # names the file that lists the outside bots of a server
WISHES = ("view", "sight", "observation")
MAX_REPLY_LENGTH = 65_536  # characters; whatever is longer is no answer
START_SECONDS = 20.0  # a bot may take longer to start than to move
MOVE_SECONDS = 10.0
MAX_SEED = 1 << 31  # so that any language can read it
SHOWN = 200  # characters of an answer or a complaint that an error repeats


_running: set[int] = set()  # ids of the programs of this process


class BotError(TableeError):
    """An outside bot did not answer with a move; the sentence says what it did instead."""


@dataclass(frozen=True)
class ExternalBotSpec:
    """How an outside bot is started. Whoever changes the program raises the version."""

    name: str
    command: str  # as in a shell, but no shell sees it
    version: int = 1
    seconds: float = MOVE_SECONDS  # for one move

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise BadSetup(f"an outside bot's name is letters, digits and underscores, not {self.name!r}")
        if not self.words:
            raise BadSetup(f"the outside bot {self.name!r} has no command")

    @property
    def words(self) -> list[str]:
        """The program and its arguments."""
        try:
            return shlex.split(self.command)
        except ValueError as why:
            raise BadSetup(f"the command of the outside bot {self.name!r} cannot be read: {why}") from None


def parse_external(text: str) -> ExternalBotSpec:
    """Read `NAME=COMMAND`, as a command line has it."""
    name, equals, command = text.partition("=")
    if not equals:
        raise BadSetup(f"an outside bot is written NAME=COMMAND, not {text!r}")
    return ExternalBotSpec(name.strip(), command.strip())


def listed() -> Mapping[str, ExternalBotSpec]:
    """Return the outside bots that this machine's settings list; nothing that comes from the network adds to them."""
    path = os.environ.get(LISTED_IN)
    return _read_list(Path(path)) if path else {}


def _read_list(path: Path) -> dict[str, ExternalBotSpec]:
    """Read a TOML file with a section per bot: `command`, and if need be `version` and `seconds`."""
    try:
        sections = tomllib.loads(path.read_text(encoding="utf-8"))
        return {name: ExternalBotSpec(name, **section) for name, section in sections.items()}
    except (OSError, tomllib.TOMLDecodeError, TypeError) as why:
        raise BadSetup(f"the list of outside bots in {path} ({LISTED_IN}) cannot be used: {why}") from None


class ExternalBot:
    """Starts its program at the first decision, and asks it for one move after another until it is closed."""

    def __init__(self, outside: ExternalBotSpec, seed: int, seconds: float | None = None) -> None:
        self.name = outside.name
        self.version = outside.version
        self.outside = outside
        self.seed = seed
        self.seconds = min(outside.seconds, seconds or outside.seconds)
        self._process: subprocess.Popen[str] | None = None
        self._wishes: tuple[str, ...] = ()
        self._complaints: deque[str] = deque(maxlen=5)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"outside-{self.name}")

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Ask for a move; anything else than a legal one ends the program and is an error."""
        demand_own_turn(sight, moves)
        try:
            self.start(sight.game, sight)
            answer = self._ask(self._question(sight, moves), self.seconds)
            return Decision(self._move(answer, sight.game, moves))
        except BotError:
            self.close()
            raise

    def start(self, game: Game, sight: Sight) -> None:
        """Start the program and greet it, unless it runs already."""
        if self._process is not None:
            return
        self._process = self._launch()
        self._listener = Thread(target=self._listen, args=(self._process.stderr,), daemon=True)
        self._listener.start()
        options = {option.name: option.value(int(code)) for option, code in zip(game.options, sight.state.options)}
        greeting = {"tablee": PROTOCOL, "game": game.name, "version": game.version, "seats": sight.seats}
        answer = self._ask({**greeting, "options": options, "seed": self.seed % MAX_SEED}, START_SECONDS)
        wishes = answer.get("wants", [])
        if not isinstance(wishes, list) or not set(wishes) <= set(WISHES):
            raise self._failed(f"wants {wishes!r}; it may want a list of {', '.join(WISHES)}")
        self._wishes = tuple(wishes)

    def close(self) -> None:
        """End the program, and whatever it has started."""
        if self._process is not None:
            _end(self._process)
            self._process = None
        self._thread.shutdown(wait=False)

    def _launch(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        # What is set up for Tablée, such as a database with its password, is none of a bot's business.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TABLEE_")}
        try:
            process = subprocess.Popen(
                self.outside.words,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                text=True,
                encoding="utf-8",
                errors="replace",
                env=environment,
                start_new_session=True,
            )
        except OSError as why:
            raise self._failed(f"cannot be started with {self.outside.command!r}: {why}") from None
        _running.add(process.pid)
        return process

    def _question(self, sight: Sight, moves: Sequence[int]) -> dict[str, Any]:
        texts = [sight.game.module("moves").move_text(move) for move in moves]
        parts = {"view": _view, "sight": _fields, "observation": _observation}
        return {"seat": sight.seat, "moves": texts, **{wish: parts[wish](sight, moves) for wish in self._wishes}}

    def _move(self, answer: Mapping[str, Any], game: Game, moves: Sequence[int]) -> int:
        text = answer.get("move")
        if not isinstance(text, str):
            raise self._failed(f"answered {_short(answer)} without a move")
        try:
            move = int(game.module("moves").parse_move(text))
        except BadMove as why:
            raise self._failed(f"answered {_short(text)}: {why}") from None
        if move not in moves:
            raise self._failed(f"answered with the illegal move {text!r}")
        return move

    def _ask(self, question: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Write a line, wait for a line."""
        assert self._process is not None
        answering = self._thread.submit(_exchange, self._process, json.dumps(question, separators=(",", ":")))
        try:
            line = answering.result(seconds)
        except TimeoutError:
            raise self._failed(f"was silent for {seconds:g} seconds") from None
        except OSError:
            line = ""
        if not line:
            raise self._failed(self._ending())
        if len(line) >= MAX_REPLY_LENGTH:
            raise self._failed(f"answered with more than {MAX_REPLY_LENGTH} characters in a line")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self._failed(f"answered {_short(line)}, which is no JSON object")
        return answer

    def _ending(self) -> str:
        """Say how the program ended, and what it complained about."""
        assert self._process is not None
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._listener.join(1)  # its last words may still be on the way
        complaint = " ".join(self._complaints).strip()
        return f"ended with exit code {code}" + (f": {complaint[-SHOWN:]}" if complaint else "")

    def _listen(self, stream: IO[str]) -> None:
        """Remember the last complaints, and keep the pipe from filling up."""
        try:
            while line := stream.readline(SHOWN):
                self._complaints.append(line.rstrip())
        except (OSError, ValueError):  # closed meanwhile
            return

    def _failed(self, what: str) -> BotError:
        return BotError(f"the outside bot {self.name!r} {what}")


def _exchange(process: subprocess.Popen[str], line: str) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return process.stdout.readline(MAX_REPLY_LENGTH)


def kill_all() -> None:
    """Kill the programs of all bots, for a process that ends without a chance to close them."""
    for group in tuple(_running):
        _kill(group)


def _kill(group: int) -> None:
    """Kill a program with all it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _end(process: subprocess.Popen[str]) -> None:
    """Kill the program, and forget the pipes."""
    _kill(process.pid)
    process.wait()
    _running.discard(process.pid)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):  # what was not written yet cannot be any more
                stream.close()


def _view(sight: Sight, moves: Sequence[int]) -> dict[str, Any]:
    """Return what a front end would draw, in English."""
    names = [common("en").say("seat", number=seat + 1) for seat in range(sight.seats)]
    view = sight.game.module("view").draw(sight, list(moves), sight.game.words("en"), names)
    return view.as_dict()  # type: ignore[no-any-return]


def _fields(sight: Sight, moves: Sequence[int]) -> dict[str, Any]:
    """Return the fields of the sight as the game's state.py describes them."""
    fields = [name for name in sight.state.dtype.names if name not in ("generator", "padding")]
    return {name: sight.state[name].tolist() for name in fields}


def _observation(sight: Sight, moves: Sequence[int]) -> list[float]:
    return sight.observe().tolist()  # type: ignore[no-any-return]


def _short(answer: object) -> str:
    text = repr(answer)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
