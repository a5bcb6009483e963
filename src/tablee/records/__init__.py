"""Saved games: writing, reading, replaying and verifying them (docs/records.md)."""

from tablee.records.header import Deal, Header, Player, Position, commitment
from tablee.records.moves import RecordedMove
from tablee.records.record import Record, Verification

__all__ = ["Deal", "Header", "Player", "Position", "Record", "RecordedMove", "Verification", "commitment"]
