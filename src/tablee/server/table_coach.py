"""The coach at the tables of this process: who may ask it is checked before and after it has thought."""

from __future__ import annotations

import logging

from tablee.core.sight import Sight
from tablee.protocol.reviews import AdvisedMove, BeliefShown, BeliefsShown, HintShown, PossibleFace
from tablee.review.beliefs import Belief, Beliefs
from tablee.review.coach import Coach, CoachFailed
from tablee.review.hint_wording import Hint, HintMove, tell_hint
from tablee.server.live_table import ServedTable
from tablee.server.logs import incident
from tablee.server.turns import FairTurns
from tablee.tables.coached_decisions import CoachedDecision, coached_decision
from tablee.tables.coaching import check_coached
from tablee.tables.refusals import Refused

AT_ONCE = 1  # questions that the coach thinks about
MAX_WAITING = 3  # questions per person
MAX_POSSIBLE = 6  # faces told of a piece


class TableCoach:
    """Answers people at coached tables, in turns between those who ask."""

    def __init__(self, coach: Coach | None = None) -> None:
        self._coach = coach or Coach()
        self._turns = FairTurns(AT_ONCE, MAX_WAITING)

    async def hint(self, live: ServedTable, person: str, language: str) -> HintShown:
        """Return a hint about the decision that a person is to make; raises `Refused`."""
        decision, number = _decision(live, person), live.table.number
        moves = decision.position.legal_moves()
        try:
            async with self._turns.turn(person):
                advice = await self._coach.advise(decision.sight, moves)
        except CoachFailed as error:
            raise _unavailable(live, error) from None
        if _decision(live, person).sight != decision.sight:
            raise Refused("stale")
        view = decision.position.draw_view(decision.sight, language)
        return show_hint(tell_hint(advice, view, decision.sight.game, language), number)

    async def beliefs(self, live: ServedTable, person: str, sight: Sight, language: str) -> BeliefsShown:
        """Return what hidden pieces can be, to a person who has this sight of a running game; raises `Refused`."""
        assert live.table.match is not None
        names = live.table.match.names(language)
        try:
            async with self._turns.turn(person):
                found = await self._coach.find_beliefs(sight, language, names)
        except CoachFailed as error:
            raise _unavailable(live, error) from None
        check_coached(live.table, live.table.viewer_of(person))
        return beliefs_shown(found)

    async def close(self) -> None:
        """Stop thinking."""
        await self._coach.close()


def _decision(live: ServedTable, person: str) -> CoachedDecision:
    return coached_decision(live.table, live.table.viewer_of(person))


def _unavailable(live: ServedTable, error: CoachFailed) -> Refused:
    incident("coach fails", logging.ERROR, game=live.table.created.game, error=str(error))
    return Refused("unavailable", "coach_unavailable")


def show_hint(hint: Hint, number: int) -> HintShown:
    """Return a hint as it is sent."""
    return HintShown(
        number=number,
        worlds=hint.worlds,
        look=hint.look,
        points=hint.points,
        good=tuple(_advised(move) for move in hint.good),
        marks=hint.marks,
        why=hint.why,
        blunders=tuple(_advised(move) for move in hint.blunders),
    )


def _advised(move: HintMove) -> AdvisedMove:
    return AdvisedMove(move.move, move.label, move.targets, move.text)


def beliefs_shown(found: Beliefs) -> BeliefsShown:
    """Return beliefs as they are sent."""
    pieces = [_belief(belief, MAX_POSSIBLE) for belief in found.pieces]
    return BeliefsShown(found.worlds, found.is_exact, pieces, [_belief(belief) for belief in found.zones])


def _belief(belief: Belief, limit: int | None = None) -> BeliefShown:
    possible = [
        PossibleFace(
            each.face.face, each.face.colour, each.label, round(100 * each.probability, 1), round(100 * each.error, 1)
        )
        for each in belief.possibilities[:limit]
    ]
    return BeliefShown(belief.id, belief.label, possible)
