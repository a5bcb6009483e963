"""Fuzzing of the reader of records: it reads any bytes or raises BadRecord (`make fuzz`)."""

import hashlib
import random
import re
import sys
import tempfile
from pathlib import Path

import tablee
from tablee.core.errors import BadRecord
from tablee.core.match import Match

SEED_LINES = re.compile(rb"\ncommitment: [0-9a-f]{64}\nseed: ([0-9a-f]{64})\nstream: ([0-9]{1,20})\n")


def resealed(content: bytes) -> bytes:
    """Return a damaged record with matching commitment and checksum, so that deeper checks have to find the damage."""
    content = SEED_LINES.sub(_with_commitment, content)
    before, key, _ = content.rpartition(b"sha256: ")
    return before + key + hashlib.sha256(before).hexdigest().encode() + b"\n" if key else content


def _with_commitment(found: re.Match[bytes]) -> bytes:
    seed, stream = found[1], found[2]
    commitment = hashlib.sha256(seed + b" " + stream).hexdigest().encode()
    return b"\ncommitment: " + commitment + b"\nseed: " + seed + b"\nstream: " + stream + b"\n"


def read_anything(content: bytes) -> None:
    """Read and verify bytes as they are and resealed; any exception but BadRecord is a bug."""
    for candidate in (content, resealed(content)):
        try:
            tablee.Record.parse(candidate).verify()
        except BadRecord:
            continue


def real_records() -> list[bytes]:
    """Return small records of several kinds."""
    generator = random.Random(1)
    records = []
    for seats, moves in ((2, 0), (2, 20), (3, 45), (4, 10_000)):
        match = Match("skyjo", seats=seats, seed=seats, players=[f"Zoë {seat}" for seat in range(seats)])
        while not match.is_over and len(match.moves) < moves:
            match.play(generator.choice(match.legal_moves()))
        records.append(match.record(kinds=["person"] * seats, index="\u202e“home”").text().encode())
    records.append(Match.from_state(match.game, match.first_state).record().text().encode())
    return records


def main() -> None:
    """Run libFuzzer with its arguments from the command line."""
    import atheris

    # Only the reader, which is not imported yet: Numba cannot compile instrumented kernels.
    with atheris.instrument_imports(include=["tablee.records"]):
        import tablee.records.capture
        import tablee.records.replay  # noqa: F401
    with tempfile.TemporaryDirectory() as corpus:
        for number, content in enumerate(real_records()):
            Path(corpus, f"{number}.tablee").write_bytes(content)
        atheris.Setup([*sys.argv, corpus], read_anything)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
