"""Typed lines as moves and commands: the same in the screen and in plain mode."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablee.core.errors import BadMove
from tablee.core.view import Choice
from tablee.core.words import Words, common

if TYPE_CHECKING:
    from tablee.core.match import Match

MAX_SUGGESTED = 3
COMMANDS = {"?": "help", "help": "help", "table": "table", "score": "score", "rules": "rules", "quit": "quit"}


def parse_typed(text: str, choices: Sequence[Choice], match: Match, language: str) -> int | str:
    """Return the legal move that was typed, or a message that says why there is none."""
    words = common(language)
    chosen = numbered(text, choices, words)
    if chosen is not None:
        return chosen if isinstance(chosen, str) else chosen.move
    try:
        move = match.parse(text)
    except BadMove:
        return words.say("play.not_a_move", text=text, near=", ".join(_nearest(text, choices)))
    reason = match.why_not(move, language)
    return move if reason is None else words.say("play.refused", text=match.text(move), why=reason)


def numbered(text: str, choices: Sequence[Choice], words: Words) -> Choice | str | None:
    """Return the choice with this number in the list, an error message if there is none, None if it is no number."""
    if not text.isdecimal() or not are_numbered(choices):
        return None
    if 1 <= int(text) <= len(choices):
        return choices[int(text) - 1]
    return words.say("play.no_number", text=text, n=len(choices))


def are_numbered(choices: Sequence[Choice]) -> bool:
    """Whether choices can be typed by their number in the list: no move is itself written as a number."""
    return not any(choice.text.isdecimal() for choice in choices)


def matching(typed: str, choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices whose text starts with the typed text; if there are none, those that contain it."""
    wanted = " ".join(typed.lower().split())
    prefixed = [choice for choice in choices if choice.text.startswith(wanted)]
    return prefixed or [choice for choice in choices if wanted in choice.text or wanted in choice.label.lower()]


def _nearest(text: str, choices: Sequence[Choice]) -> list[str]:
    texts = [choice.text for choice in choices]
    return difflib.get_close_matches(text.lower(), texts, MAX_SUGGESTED) or texts[:MAX_SUGGESTED]
