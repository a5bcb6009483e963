"""Export of finished games, as records and as JSON Lines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from tablee.bots.roster import known_names, version_of
from tablee.records import Record
from tablee.storage.store import Store
from tablee.tables.evolution import rebuild_table
from tablee.tables.presentation import table_record
from tablee.tables.table import OutdatedTable, Table


def finished_tables(store: Store) -> Iterator[Table]:
    """Yield every finished game's table, oldest first; tables of other versions of the rules are left out."""
    for row in store.finished():
        try:
            table = rebuild_table(row.id, asyncio.run(store.events(row.id)))
        except OutdatedTable:
            continue
        if table.match is not None:
            yield table


def record_of(table: Table) -> Record:
    """Return the record of a table, with the versions of the bots installed here."""
    return table_record(table, {name: version_of(name) for name in known_names()})


def export_records(store: Store, folder: Path) -> int:
    """Write each finished game as a record file into a folder; return how many."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for table in finished_tables(store):
        record_of(table).save(folder / f"{table.created.game}-{table.id}.tablee")
        count += 1
    return count


def export_lines(store: Store, stream: TextIO) -> int:
    """Write each finished game as one line of JSON; return how many."""
    count = 0
    for table in finished_tables(store):
        stream.write(json.dumps(_line(table), ensure_ascii=False) + "\n")
        count += 1
    return count


def _line(table: Table) -> dict[str, object]:
    record = record_of(table)
    header = record.header
    return {
        "table": table.id,
        "game": header.game,
        "version": header.game_version,
        "seats": header.seats,
        "options": table.created.options,
        "seed": table.created.seed,
        "commitment": table.commitment,
        "at": table.created.at,
        "players": [{"name": player.name, "kind": player.kind} for player in header.players],
        "moves": [{"seat": played.seat, "move": played.text} for played in record.moves],
        "end": table.end,
        "outcome": asdict(record.outcome) if record.outcome else None,
    }
