"""Messages about the events of a table, each drawn and encoded once for all who see and read the same."""

from __future__ import annotations

from typing import NamedTuple

from tablee.protocol.changes import find_changes
from tablee.protocol.messages import EventMessage, encode
from tablee.protocol.shown import TableShown
from tablee.tables.live import LiveTable
from tablee.tables.log import ended_round
from tablee.tables.presentation import event_shown, table_shown
from tablee.tables.table import Step


class Viewing(NamedTuple):
    """What decides how a table is drawn: watchers with equal viewings are sent the same bytes."""

    viewer: int  # a seat; -1: a spectator
    language: str
    former: str = ""  # id of a spectator who has given up a seat


class EventMessages:
    """Draws and encodes a table after its last event; what was shown before is kept, to send what changed."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, Viewing, int | None], bytes] = {}  # by number of the event and of the base
        self._shown: dict[Viewing, TableShown] = {}  # after the last event
        self._base: int | None = None  # number of the event before those that were published last
        self._base_shown: dict[Viewing, TableShown] = {}  # after event `_base`

    def advance(self, number: int) -> None:
        """Note that more events follow event `number`, which was the last."""
        self._texts.clear()
        self._base, self._base_shown, self._shown = number, self._shown, {}

    def forget(self) -> None:
        """Drop everything; the next event is sent with the whole table."""
        self._texts, self._shown, self._base_shown = {}, {}, {}

    def shown(self, live: LiveTable, viewing: Viewing) -> TableShown:
        """Return the whole table."""
        shown = self._shown.get(viewing)
        if shown is None:
            shown = self._shown[viewing] = table_shown(live.table, *viewing)
        return shown

    def text(self, live: LiveTable, step: Step, viewing: Viewing, known: int | None) -> bytes:
        """Return the encoded message about a recent step."""
        base = known if known == self._base and viewing in self._base_shown else None
        key = (step.table.number, viewing, base)
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = encode(self._message(live, step, viewing, base))
        return text

    def _message(self, live: LiveTable, step: Step, viewing: Viewing, base: int | None) -> EventMessage:
        """Return the message about a step; only that about the last step has the table after it, or what changed."""
        table = step.table
        is_last = table.number == live.table.number
        shown = self.shown(live, viewing) if is_last else None
        base = base if is_last else None
        return EventMessage(
            table=table.id,
            number=table.number,
            event=event_shown(table, step.event, viewing.viewer),
            lines=live.lines(step, viewing.viewer, viewing.language),
            moves=table.moves,
            round=ended_round(step, viewing.viewer, viewing.language),
            state=shown if base is None else None,
            base=base,
            changes=() if base is None else find_changes(self._base_shown[viewing], shown),
        )
