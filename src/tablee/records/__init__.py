"""Saved games: write, read, replay, verify (docs/records.md)."""

from tablee.records.header import Deal, Header, Player, Position, commitment
from tablee.records.moves import Played
from tablee.records.record import Record, Verification

__all__ = ["Deal", "Header", "Played", "Player", "Position", "Record", "Verification", "commitment"]
