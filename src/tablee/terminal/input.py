"""Typed lines as moves and commands: the same in the screen and in plain mode."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tablee.core.move_words import plain
from tablee.core.words import Words

if TYPE_CHECKING:
    from tablee.core.view import Choice

MAX_SUGGESTED = 3
PREFIX = "commands."  # of the names of commands in the words
# Executed by the front end, not by the table
FRONT_END_COMMANDS = ("help", "table", "score", "rules", "pace", "beliefs", "warnings", "quit")


class TypedCommand(NamedTuple):
    """A command and the rest of the line."""

    name: str
    argument: str


def parse_command(text: str, choices: Sequence[Choice], words: Words) -> TypedCommand | None:
    """Return the command that a line is, possible now or not; None if it is a move.

    Commands are typed by their name in the language of `words`, or by their key, the English name. A legal move takes
    precedence over a command of the same name.
    """
    first, _, argument = text.strip().partition(" ")
    if typed_choice(text, choices) is not None:
        return None
    keys = [key.removeprefix(PREFIX) for key in words.texts if key.startswith(PREFIX)]
    names = {"?": "help", **{key: key for key in keys}, **{words.say(f"{PREFIX}{key}"): key for key in keys}}
    name = names.get(first.lower())
    return None if name is None else TypedCommand(name, argument.strip())


def shown_text(choice: Choice) -> str:
    """Return the text of a choice as it is shown and typed in the viewer's language."""
    return choice.typed or choice.text


def typed_choice(text: str, choices: Sequence[Choice]) -> Choice | None:
    """Return the choice with exactly this text, in the viewer's language or canonical; None if there is none."""
    wanted = plain(" ".join(text.split()))
    return next((choice for choice in choices if wanted in (plain(choice.text), plain(choice.typed))), None)


def numbered(text: str, choices: Sequence[Choice], words: Words) -> Choice | str | None:
    """Return the choice with this number in the list, an error message if there is none, None if it is no number."""
    if not text.isdecimal() or not choices or not are_numbered(choices):
        return None
    if 1 <= int(text) <= len(choices):
        return choices[int(text) - 1]
    return words.say("play.no_number", text=text, n=len(choices))


def are_numbered(choices: Sequence[Choice]) -> bool:
    """Whether choices can be typed by their number in the list: no move is itself written as a number."""
    return not any(choice.text.isdecimal() for choice in choices)


def matching(typed: str, choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices whose text starts with the typed text; if there are none, those that contain it."""
    wanted = plain(" ".join(typed.split()))
    prefixed = [choice for choice in choices if any(text.startswith(wanted) for text in _texts(choice)[:2])]
    return prefixed or [choice for choice in choices if any(wanted in text for text in _texts(choice))]


def _texts(choice: Choice) -> tuple[str, ...]:
    return plain(choice.text), plain(choice.typed), plain(choice.label)


def nearest_texts(text: str, choices: Sequence[Choice]) -> list[str]:
    """Return the texts of up to three choices that resemble a text, else of the first ones."""
    texts = [shown_text(choice) for choice in choices]
    return difflib.get_close_matches(text.lower(), texts, MAX_SUGGESTED) or texts[:MAX_SUGGESTED]
