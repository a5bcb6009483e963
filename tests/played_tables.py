"""Tables in tests: three people, and a table with all its events."""

import pytest

from tablee.bots.roster import NAMES
from tablee.core.languages import languages
from tablee.tables.commands import (
    TABLE_ITSELF,
    Actor,
    BotPlay,
    Claim,
    Play,
)
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.decisions import decide
from tablee.tables.events import kind_of
from tablee.tables.log import build_log
from tablee.tables.refusals import Refused

ANA, BEN, EVE = Actor("p1", "Ana"), Actor("p2", "Ben"), Actor("p3", "Eve")
SECRETS = Secrets(7, "invite")


class Played:
    """A table, with all its events."""

    def __init__(self, request, maker=ANA, at=100.0):
        self.events, self.table = new_table("t", request, SECRETS, maker, at, NAMES)
        self.at = at

    def do(self, command, actor=ANA, later=1.0):
        self.at += later
        steps = decide(self.table, command, actor, self.at, NAMES)
        self.events += [step.event for step in steps]
        self.table = steps[-1].table
        return [kind_of(step.event) for step in steps]

    def refuses(self, command, actor=ANA, later=0.0):
        with pytest.raises(Refused) as refused:
            decide(self.table, command, actor, self.at + later, NAMES)
        for language in list(languages()):
            assert refused.value.text(language)
        return refused.value

    def on_turn(self):
        return next(a for a in (ANA, BEN, EVE) if self.table.seat_of(a.person) == self.table.on_turn)

    def first_move(self):
        match = self.table.match
        return match.text(match.legal_moves()[0])

    def play(self, move=None):
        """Let the seat on turn play, person or bot."""
        move = move or self.first_move()
        seat = self.table.on_turn
        if self.table.seats[seat].bot:
            return self.do(BotPlay(seat, move, self.table.number), TABLE_ITSELF)
        return self.do(Play(move, self.table.number), self.on_turn())


def skyjo(people=2, **request):
    """Return a table of Skyjo without simultaneous choices at which all people sit."""
    played = Played(TableRequest("skyjo", **{"seats": people, "options": {"opening": "auto"}, **request}))
    for actor in (BEN, EVE)[: people - 1]:
        played.do(Claim(None, "invite"), actor)
    return played


def hidden_cell(table):
    """Return the name of a cell where the seat on turn has a card face down."""
    seat = table.on_turn
    pieces = [piece for zone in table.match.view(seat).zones if zone.owner == seat for piece in zone.pieces]
    return next(piece.id.split(".")[1] for piece in pieces if piece.face is None and "empty" not in piece.marks)


def log_of(played, viewer=0, language="en"):
    return build_log("t", played.events, viewer, language).page(1000).lines
