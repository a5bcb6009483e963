"""A review in a process of its own, for programs that must not wait for it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress

from tablee.review.files import ReviewProgress, decode_progress

MAX_LINE_BYTES = 16 * 1024 * 1024


async def review_in_process(record: str, depth: str = "usual") -> AsyncGenerator[ReviewProgress]:
    """Review the game of a record: yield how far it is, and at last the review, or why there is none.

    The process ends with this generator. If it ends before without a review, nothing more is yielded.
    """
    command = (sys.executable, "-m", "tablee.review.worker", "--depth", depth)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, limit=MAX_LINE_BYTES
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(record.encode())
        process.stdin.close()
        async for line in process.stdout:
            yield decode_progress(line)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
