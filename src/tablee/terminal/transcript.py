"""A match written as lines of text, as a viewer saw it."""

from __future__ import annotations

from collections.abc import Iterator

from tablee.core.match import Match
from tablee.core.words import common
from tablee.terminal.text import score_line


def transcript(match: Match, viewer: int | None, language: str) -> Iterator[str]:
    """Yield a heading, each move as far as the viewer could see it, and the result.

    The viewer is a seat, -1 for a spectator, or None: then each move is written as its player saw it.
    """
    words = common(language)
    names = match.names(language)
    title = match.game.words(language).say("title")
    yield words.say("replay.heading", title=title, players=", ".join(names), setup=match.setup)
    replayed = Match.from_state(match.game, match.first_state, match.players)
    for number, move in enumerate(match.moves, start=1):
        seat = replayed.to_move if viewer is None else viewer
        replayed.play(move)
        events = " ".join(event.text for event in replayed.events(seat, language))
        yield words.say("replay.move", number=number, text=events)
    yield from result_lines(replayed, language)


def result_lines(match: Match, language: str) -> Iterator[str]:
    """Yield why the match ended, the points and the winners, or that it has not ended."""
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
