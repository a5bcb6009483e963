"""A table in plain lines: for pipes, screen readers and any terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tablee.bots.bot import Bot
from tablee.core.match import Match
from tablee.core.view import Choice, View
from tablee.core.words import common
from tablee.terminal.input import COMMANDS, are_numbered, parse_typed
from tablee.terminal.text import score_line, zone_lines
from tablee.terminal.transcript import result_lines

Read = Callable[[], str]
Write = Callable[[str], None]

MAX_LISTED = 24  # choices listed at each turn; `?` lists all


class PlainTable:
    """One player at a seat, bots at the others; lines are written by `write` and read by `read`."""

    def __init__(
        self, match: Match, seat: int, language: str, *, read: Read, write: Write, bots: Mapping[int, Bot]
    ) -> None:
        self.match = match
        self.seat = seat
        self.language = language
        self.read = read
        self.write = write
        self.bots = bots
        self.words = common(language)
        self.commands = {**COMMANDS, **{self.words.say(f"commands.{name}"): name for name in COMMANDS.values()}}
        self._shown: dict[str, list[str]] = {}

    def run(self) -> bool:
        """Play to the end; return False if the player leaves before."""
        self._welcome()
        while not self.match.is_over:
            move = self._own_move() if self.match.to_move == self.seat else self._bot_move()
            if move is None:
                return False
            self.match.play(move)
            self._print_events()
        self.write("")
        for line in result_lines(self.match, self.language):
            self.write(line)
        return True

    def _bot_move(self) -> int:
        seat = self.match.to_move
        return self.bots[seat].decide(self.match.sight(seat), self.match.legal_moves()).move

    # Output

    def _say(self, key: str, **parameters: object) -> None:
        self.write(self.words.say(key, **parameters))

    def _welcome(self) -> None:
        title = self.match.game.words(self.language).say("title")
        names = self.match.names(self.language)
        others = ", ".join(name for seat, name in enumerate(names) if seat != self.seat)
        self._say("play.welcome", title=title, players=others, name=names[self.seat])
        self._say("play.how")

    def _print_events(self) -> None:
        if self.match.to_move != self.seat or self.match.seats == 1:
            self._shown = {}  # at the next own turn, all zones are written again
        for event in self.match.events(self.seat, self.language):
            self.write(event.text)

    def _view(self) -> View:
        return self.match.view(self.seat, self.language)

    def _show(self, view: View) -> None:
        """Write the zones that have changed since they were last written."""
        for zone, lines in zone_lines(view, self.language).items():
            if self._shown.get(zone) != lines:
                self._shown[zone] = lines
                self.write("\n".join(lines))

    def _list(self, choices: Sequence[Choice], limit: int | None) -> None:
        self._say("play.choices")
        numbered = are_numbered(choices)
        for number, choice in enumerate(choices[:limit], start=1):
            index = f"{number}. " if numbered else ""
            self.write(f"  {index}{choice.text}{self.words.say('colon')} {choice.label}")
        if limit is not None and len(choices) > limit:
            self._say("play.more", n=len(choices) - limit)

    # Input

    def _own_move(self) -> int | None:
        """Read lines until one is a legal move; None if the player leaves."""
        view = self._view()
        self.write("")
        self._show(view)
        self.write(view.prompt)
        self._list(view.choices, MAX_LISTED)
        while True:
            text = self.read().strip()
            is_move = any(choice.text == text.lower() for choice in view.choices)
            command = None if is_move else self.commands.get(text.lower())
            if command == "quit":
                return None
            if command is not None:
                self._execute(command, view)
            elif text:
                move = self._parse(text, view.choices)
                if move is not None:
                    return move
            else:
                self.write(view.prompt)

    def _execute(self, command: str, view: View) -> None:
        if command == "help":
            self.write(view.prompt)
            self._list(view.choices, None)
            self._say("play.also")
        elif command == "table":
            self._shown = {}
            self._show(view)
            self.write(view.prompt)
        elif command == "score":
            self.write(score_line(view.scores, self.match.names(self.language), self.language))
        else:
            self.write(self.match.game.rulebook(self.language))

    def _parse(self, text: str, choices: Sequence[Choice]) -> int | None:
        """Return the typed move; if it is not legal, write why and return None."""
        move = parse_typed(text, choices, self.match, self.language)
        if isinstance(move, int):
            return move
        self.write(move)
        return None
