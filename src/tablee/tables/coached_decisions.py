"""The decision that a coach is asked about: everything that it may know."""

from __future__ import annotations

from typing import NamedTuple

from tablee.core.match import Match
from tablee.core.sight import Sight
from tablee.tables.coaching import check_coached
from tablee.tables.decisions import position_to_play
from tablee.tables.table import Table


class CoachedDecision(NamedTuple):
    """A choice of a seat, now or ahead of its turn; the coach is given the sight and the legal moves only."""

    position: Match
    sight: Sight


def coached_decision(table: Table, viewer: int) -> CoachedDecision:
    """Return the decision about which a viewer may ask the coach now; raises `Refused` if there is none."""
    check_coached(table, viewer)
    position = position_to_play(table, viewer)
    return CoachedDecision(position, table.sight(viewer) if position is table.match else position.sight(viewer))
