"""External bots: programs in any language that read and write lines of JSON (the protocol is in docs/bots.md)."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tomllib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, Any

from tablee.bots import confinement
from tablee.bots.bot import Decision, require_own_turn
from tablee.core.errors import BadMove, BadSetup, TableeError
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.core.game import Game
    from tablee.core.sight import Sight

PROTOCOL = 1
BOTS_VARIABLE = "TABLEE_BOTS"  # environment variable: path of the file that lists a server's external bots
MAX_REPLY_LENGTH = 65_536  # characters in a line
START_SECONDS = 20.0  # for the answer to the greeting
MOVE_SECONDS = 10.0
MAX_SEED = 1 << 31  # a size that every language can read
MAX_QUOTED = 200  # characters of a reply or of the standard error in an error message

_process_ids: set[int] = set()  # of the programs that run in this process


class BotError(TableeError):
    """An external bot did not reply with a legal move; the message says what it did instead."""


@dataclass(frozen=True)
class ExternalBotSpec:
    """How an external bot is started. Raise its version when the program plays differently."""

    name: str
    command: str  # split like a shell command, but run without a shell
    version: int = 1
    seconds: float = MOVE_SECONDS  # per move

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise BadSetup(f"the name of an external bot is letters, digits and underscores, not {self.name!r}")
        if not self.arguments:
            raise BadSetup(f"the external bot {self.name!r} has no command")

    @property
    def arguments(self) -> list[str]:
        """The program and its arguments; raises BadSetup if the command has unbalanced quotes."""
        try:
            return shlex.split(self.command)
        except ValueError as why:
            raise BadSetup(f"the command of the external bot {self.name!r} cannot be read: {why}") from None


def parse_external(text: str) -> ExternalBotSpec:
    """Read `NAME=COMMAND`, as on a command line."""
    name, equals, command = text.partition("=")
    if not equals:
        raise BadSetup(f"an external bot is written NAME=COMMAND, not {text!r}")
    return ExternalBotSpec(name.strip(), command.strip())


def listed() -> Mapping[str, ExternalBotSpec]:
    """Return the external bots of this machine's settings; nothing that comes from the network can add to them."""
    path = os.environ.get(BOTS_VARIABLE)
    return _read_list(Path(path)) if path else {}


def _read_list(path: Path) -> dict[str, ExternalBotSpec]:
    """Read a TOML file with a section per bot: `command`, optionally `version` and `seconds`."""
    try:
        sections = tomllib.loads(path.read_text(encoding="utf-8"))
        return {name: ExternalBotSpec(name, **section) for name, section in sections.items()}
    except (OSError, tomllib.TOMLDecodeError, TypeError) as why:
        raise BadSetup(f"the list of external bots in {path} ({BOTS_VARIABLE}) cannot be used: {why}") from None


class ExternalBot:
    """A program started with the first decision and asked for one move after another until it is closed."""

    def __init__(self, spec: ExternalBotSpec, seed: int, seconds: float | None = None) -> None:
        self.name = spec.name
        self.version = spec.version
        self.spec = spec
        self.seed = seed
        self.seconds = min(spec.seconds, seconds or spec.seconds)
        self._process: subprocess.Popen[str] | None = None
        self._requested_parts: tuple[str, ...] = ()
        self._error_lines: deque[str] = deque(maxlen=5)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"external-{self.name}")

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Ask for a move; without a legal one in time, end the program and raise BotError."""
        require_own_turn(sight, moves)
        try:
            self.start(sight.game, sight)
            reply = self._exchange(self._question(sight, moves), self.seconds)
            return Decision(self._parse_move(reply, sight.game, moves))
        except BotError:
            self.close()
            raise

    def start(self, game: Game, sight: Sight) -> None:
        """Start the program and send the greeting, unless it is already running."""
        if self._process is not None:
            return
        self._process = self._launch()
        self._error_reader = Thread(target=self._read_errors, args=(self._process.stderr,), daemon=True)
        self._error_reader.start()
        options = {option.name: option.value(int(code)) for option, code in zip(game.options, sight.state.options)}
        greeting = {"tablee": PROTOCOL, "game": game.name, "version": game.version, "seats": sight.seats}
        reply = self._exchange({**greeting, "options": options, "seed": self.seed % MAX_SEED}, START_SECONDS)
        wanted = reply.get("wants", [])
        if not isinstance(wanted, list) or not set(wanted) <= set(SIGHT_PARTS):
            raise self._failed(f"wants {wanted!r}; it may want a list of {', '.join(SIGHT_PARTS)}")
        self._requested_parts = tuple(wanted)

    def close(self) -> None:
        """Kill the program and everything it started."""
        if self._process is not None:
            _end(self._process)
            self._process = None
        self._thread.shutdown(wait=False)

    def _launch(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        # Tablée's own settings, such as the password of a database, stay hidden from bots.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TABLEE_")}
        start = partial(
            subprocess.Popen,
            self.spec.arguments,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
            start_new_session=True,
        )
        try:
            process: subprocess.Popen[str] = _start_confined(start)
        except OSError as why:
            raise self._failed(f"cannot be started with {self.spec.command!r}: {why}") from None
        _process_ids.add(process.pid)
        return process

    def _question(self, sight: Sight, moves: Sequence[int]) -> dict[str, Any]:
        texts = [sight.game.module("moves").move_text(move) for move in moves]
        parts = {name: SIGHT_PARTS[name](sight, moves) for name in self._requested_parts}
        return {"seat": sight.seat, "moves": texts, **parts}

    def _parse_move(self, reply: Mapping[str, Any], game: Game, moves: Sequence[int]) -> int:
        text = reply.get("move")
        if not isinstance(text, str):
            raise self._failed(f"answered {_quote(reply)} without a move")
        try:
            move = int(game.module("moves").parse_move(text))
        except BadMove as why:
            raise self._failed(f"answered {_quote(text)}: {why}") from None
        if move not in moves:
            raise self._failed(f"answered with the illegal move {text!r}")
        return move

    def _exchange(self, question: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Write a line and read the reply; raise BotError if it is late or no JSON object."""
        assert self._process is not None
        future = self._thread.submit(_write_and_read, self._process, json.dumps(question, separators=(",", ":")))
        try:
            line = future.result(seconds)
        except TimeoutError:
            raise self._failed(f"was silent for {seconds:g} seconds") from None
        except OSError:
            line = ""
        if not line:
            raise self._failed(self._describe_exit())
        if len(line) >= MAX_REPLY_LENGTH:
            raise self._failed(f"answered with more than {MAX_REPLY_LENGTH} characters in a line")
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            raise self._failed(f"answered {_quote(line)}, which is no JSON object")
        return reply

    def _describe_exit(self) -> str:
        """Return how the program ended, with the end of its standard error."""
        assert self._process is not None
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._error_reader.join(1)  # the last lines may not have been read yet
        errors = " ".join(self._error_lines).strip()
        return f"ended with exit code {code}" + (f": {errors[-MAX_QUOTED:]}" if errors else "")

    def _read_errors(self, stream: IO[str]) -> None:
        """Keep the last lines of the standard error, and prevent its pipe from filling up."""
        try:
            while line := stream.readline(MAX_QUOTED):
                self._error_lines.append(line.rstrip())
        except (OSError, ValueError):  # closed by `close`
            return

    def _failed(self, what: str) -> BotError:
        return BotError(f"the external bot {self.name!r} {what}")


def _start_confined(start: Callable[[], subprocess.Popen[str]]) -> subprocess.Popen[str]:
    """Start a program, away from the files of a server in this process, if there are any and the kernel can do it."""
    files = confinement.protected_files()
    if not files or not confinement.landlock_version():
        return start()

    def confine_and_start() -> subprocess.Popen[str]:
        confinement.confine_thread(files)
        return start()

    with ThreadPoolExecutor(1, thread_name_prefix="confined") as thread:  # it stays confined, and ends
        return thread.submit(confine_and_start).result()


def _write_and_read(process: subprocess.Popen[str], line: str) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return process.stdout.readline(MAX_REPLY_LENGTH)


def kill_all() -> None:
    """Kill the programs of all bots, for a process that exits without closing them."""
    for process_id in tuple(_process_ids):
        _kill_group(process_id)


def _kill_group(process_id: int) -> None:
    """Kill a program and everything it started: each runs in a process group of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process_id, signal.SIGKILL)


def _end(process: subprocess.Popen[str]) -> None:
    """Kill a program and close its pipes."""
    _kill_group(process.pid)
    process.wait()
    _process_ids.discard(process.pid)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):  # unwritten input cannot be flushed any more
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


# What a bot may ask to see besides the legal moves.
SIGHT_PARTS: Mapping[str, Callable[[Sight, Sequence[int]], Any]] = {
    "view": _view,
    "sight": _fields,
    "observation": _observation,
}


def _quote(reply: object) -> str:
    text = repr(reply)
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"
