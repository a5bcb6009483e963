"""Positions of a game as its tables show them: the start, the middle, a rest, the end, and what a spectator sees."""

import json
from functools import cache
from typing import NamedTuple

from seeds import seed_for
from tablee.bots.roster import NAMES, make_bot
from tablee.core.registry import find_game
from tablee.core.state import SPECTATOR
from tablee.protocol.messages import encode
from tablee.tables.commands import TABLE_ITSELF, Actor, BotPlay, Play
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.decisions import decide
from tablee.tables.log import event_lines
from tablee.tables.presentation import table_shown
from tablee.tables.table import PLAYING

LOG_EVENTS = 12
LONG_NAMED = Actor("p1", "Anne-Sophie")
SHORT_NAMED = Actor("p1", "Benjamin")  # as long as a name may be that must not be cut
BOT = "greedy"
CROWDED = {"skip_bo": {"edition": "classic"}}  # options that allow more players
SHORT = {  # of games of the fewest players
    "lexio": {"two_players": True, "rounds": 1},
    "skip_bo": {"single_round": True, "edition": "pocket"},
}
MIDDLE = {"lexio": 6, "skip_bo": 30, "skyjo": 75, "xe_queo": 6, "xylo": 12}  # moves; of other games 10
WIDE_SCORES = {  # as wide as scores become, by seat; of other games as they are
    "lexio": (406, 163, 9, 28, 139),
    "skip_bo": (475, 480, 405, 395, 490, 465),
    "skyjo": (104, 117, -12, 168, 100, -17, 143, 132),
    "xylo": (28, 34, 40, 26, 38),
}
TO_THE_END = 10_000


class Position(NamedTuple):
    """A table as a viewer sees it, and the last lines of its log, as JSON."""

    name: str
    table: str
    log: str


class PlayedTable:
    """A table at which everybody decides as the greedy bot does."""

    def __init__(self, game, seats, options, rest=None, viewer=SHORT_NAMED):
        request = TableRequest(game, seats, options, rest=rest, bots=[BOT] * (seats - 1))
        secrets = Secrets(seed_for("positions", game, seats), "invite")
        self.viewer = viewer
        self.table = new_table("t", request, secrets, viewer, 100.0, NAMES).table
        self.bot = make_bot(BOT, find_game(game), seed_for("bots", game, seats))
        self.steps = []
        self.last_turn = self.table  # of the viewer

    def play(self, count):
        """Play `count` moves and on to the viewer's next turn; stop at the end of the round if there is a rest."""
        while self.table.phase == PLAYING and (count > 0 or self.table.on_turn != 0):
            self.play_move()
            count -= 1
        return self

    def play_to_another(self):
        """Play until another player is on turn."""
        while self.table.phase == PLAYING and self.table.on_turn == 0:
            self.play_move()
        return self

    def play_move(self):
        seat, match, number = self.table.on_turn, self.table.match, self.table.number
        if not self.table.seats[seat].bot:
            self.last_turn = self.table
        move = match.text(self.bot.decide(self.table.sight(seat), match.legal_moves()).move)
        command = BotPlay(seat, move, number) if self.table.seats[seat].bot else Play(move, number)
        actor = TABLE_ITSELF if self.table.seats[seat].bot else self.viewer
        self.steps += decide(self.table, command, actor, self.table.at + 1, NAMES)
        self.table = self.steps[-1].table

    def position(self, name, language, viewer=0, table=None):
        shown = table_shown(table or self.table, viewer, language)
        steps = [step for step in self.steps if step.table.number <= shown.number][-LOG_EVENTS:]
        lines = [line for step in steps for line in event_lines(step, viewer, language)]
        return Position(name, encode(shown).decode(), encode(lines).decode())


def with_wide_scores(position, name):
    """Return the position with scores as wide as they become, beside names that must not be cut."""
    shown = json.loads(position.table)
    scores = WIDE_SCORES.get(shown["game"])
    for view in filter(None, (shown["view"], shown["round_view"])):
        view["scores"] = scores or view["scores"]
    for seat in shown["seats"]:
        seat["name"] = SHORT_NAMED.name
    return Position(name, json.dumps(shown), position.log)


@cache
def positions_of(game, language):
    """Return positions at tables with the most, the usual and the fewest players."""
    info, moves = find_game(game), MIDDLE.get(game, 10)
    crowded = PlayedTable(game, info.seats[-1], CROWDED.get(game, {}), rest=60, viewer=LONG_NAMED)
    found = [crowded.play(0).position("start", language), crowded.play(moves).position("middle", language)]
    found.append(crowded.position("watched", language, SPECTATOR))
    found.append(with_wide_scores(found[1], "wide scores"))
    found.append(with_wide_scores(found[2], "wide scores, watched"))
    crowded.play_to_another()
    found.append(with_wide_scores(crowded.position("", language), "wide scores, turn of another player"))
    crowded.play(TO_THE_END)
    found.append(crowded.position("last turn of the round", language, table=crowded.last_turn))
    found.append(with_wide_scores(found[-1], "wide scores, last turn of the round"))
    found.append(crowded.position("rest", language))
    whole = PlayedTable(game, info.seats[-1], CROWDED.get(game, {}))
    found.append(whole.play(TO_THE_END).position("end with the most players", language))
    found.append(with_wide_scores(found[-1], "wide scores, end"))
    found.append(with_wide_scores(whole.position("", language, SPECTATOR), "wide scores, end, watched"))
    usual = PlayedTable(game, info.usual_seats, {}, rest=60)
    found.append(usual.play(moves).position("usual players", language))
    found.append(usual.play_to_another().position("turn of another player", language))
    usual.play(TO_THE_END)
    found.append(usual.position("last turn with the usual players", language, table=usual.last_turn))
    found.append(usual.position("rest of the usual players", language))
    found.append(usual.position("rest, watched", language, SPECTATOR))
    few = PlayedTable(game, info.seats[0], SHORT.get(game, {}))
    found.append(few.play(moves).position("fewest players", language))
    found.append(few.play(TO_THE_END).position("end", language))
    for seats in info.seats[1:2]:
        found.append(
            PlayedTable(game, seats, {}).play(moves).position(f"{seats} players, watched", language, SPECTATOR)
        )
    return found
