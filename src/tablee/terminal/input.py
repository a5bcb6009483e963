"""What a person meant by a typed line: the same language of moves on every surface."""

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


def understood(text: str, choices: Sequence[Choice], match: Match, language: str) -> int | str:
    """Return the move that was meant; if none is possible, a sentence that says why."""
    words = common(language)
    chosen = numbered(text, choices, words)
    if chosen is not None:
        return chosen if isinstance(chosen, str) else chosen.move
    try:
        move = match.parse(text)
    except BadMove:
        return words.say("play.not_a_move", text=text, near=", ".join(_nearest(text, choices)))
    why = match.why_not(move, language)
    return move if why is None else words.say("play.refused", text=match.text(move), why=why)


def numbered(text: str, choices: Sequence[Choice], words: Words) -> Choice | str | None:
    """Return the choice with that number in the list, a sentence if there is none, None if this is no number."""
    if not text.isdecimal() or not are_numbered(choices):
        return None
    if 1 <= int(text) <= len(choices):
        return choices[int(text) - 1]
    return words.say("play.no_number", text=text, n=len(choices))


def are_numbered(choices: Sequence[Choice]) -> bool:
    """Say whether a number can only mean a place in the list, because no move is written as one."""
    return not any(choice.text.isdecimal() for choice in choices)


def matching(typed: str, choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices that begin as typed, else those that contain it."""
    wanted = " ".join(typed.lower().split())
    first = [choice for choice in choices if choice.text.startswith(wanted)]
    return first or [choice for choice in choices if wanted in choice.text or wanted in choice.label.lower()]


def _nearest(text: str, choices: Sequence[Choice]) -> list[str]:
    texts = [choice.text for choice in choices]
    return difflib.get_close_matches(text.lower(), texts, MAX_SUGGESTED) or texts[:MAX_SUGGESTED]
