"""A finished or broken-off match told in words, as somebody saw it."""

from __future__ import annotations

from collections.abc import Iterator

from tablee.core.match import Match
from tablee.core.words import common
from tablee.terminal.text import score_line


def story(match: Match, viewer: int | None, language: str) -> Iterator[str]:
    """Yield the lines: each move with what the viewer could know of it (-1: a spectator, None: its mover)."""
    words = common(language)
    names = match.names(language)
    title = match.game.words(language).say("title")
    yield words.say("replay.heading", title=title, players=", ".join(names), setup=match.setup)
    again = Match.from_state(match.game, match.first_state, match.players)
    for number, move in enumerate(match.moves, start=1):
        seat = again.to_move if viewer is None else viewer
        again.play(move)
        told = " ".join(event.text for event in again.events(seat, language))
        yield words.say("replay.move", number=number, text=told)
    yield from end_lines(again, language)


def end_lines(match: Match, language: str) -> Iterator[str]:
    """Yield how a match ended: the reason, the points, who won; or that it did not end."""
    words = common(language)
    names = match.names(language)
    if match.outcome is None:
        yield words.say("replay.unfinished")
        return
    outcome = match.outcome
    yield words.say("play.over", reason=match.game.words(language).say(f"reasons.{outcome.reason}"))
    yield score_line(outcome.scores, names, language)
    winners = f" {words.say('and')} ".join(names[seat] for seat in outcome.winners)
    yield words.say("play.won", winners=winners, n=len(outcome.winners))
