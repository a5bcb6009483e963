"""Frames of a WebSocket (RFC 6455, section 5.2): counted by their heads before anything is parsed, read and written."""

from __future__ import annotations

from collections.abc import Iterable

from websockets.frames import apply_mask  # type: ignore[attr-defined]  # compiled, where that is installed

from tablee.server.limits import Bucket

CONTROL_RATE, CONTROL_BURST = 1.0, 30.0  # pings, pongs and closes; clients send a ping every 20 seconds or so
FRAMES_PER_COMMAND = 4.0  # a message may be refused as too fast, or come in parts, before the connection is closed
BYTES_PER_FRAME = 400.0  # on average over a burst; a message has at most 8 KB, the usual one 100 bytes
BURST_SECONDS = 4.0
CONTROL_BIT, LENGTH_BITS, MASK_BIT = 0x08, 0x7F, 0x80
EXTENDED_LENGTHS = {126: 2, 127: 8}  # bytes of the length that follow
WHOLE_TEXT = 0x81  # the first byte of a text message in one frame


class FrameBudget:
    """What one connection may send, in frames, control frames and bytes; `command_rate` is in commands per second."""

    def __init__(self, command_rate: float) -> None:
        frames = command_rate * FRAMES_PER_COMMAND
        self._frames = Bucket(frames, frames * BURST_SECONDS)
        self._controls = Bucket(CONTROL_RATE, CONTROL_BURST)
        self._bytes = Bucket(frames * BYTES_PER_FRAME, frames * BYTES_PER_FRAME * BURST_SECONDS)
        self._head = b""  # the beginning of a frame whose head is incomplete
        self._skipped = 0  # bytes of a payload that are still to come
        self.counted = 0  # frames in what arrived last

    @property
    def is_between_frames(self) -> bool:
        """Whether what has arrived ends with a frame."""
        return not self._head and not self._skipped

    def allows(self, data: bytes) -> bool:
        """Count what has arrived; False if it is more than the budget."""
        if not self._bytes.spend(len(data)):
            return False
        frames, controls = self._count(data)
        self.counted = frames
        return self._frames.spend(frames) and (not controls or self._controls.spend(controls))

    def _count(self, data: bytes) -> tuple[int, int]:
        """Return how many frames begin in these bytes, and how many of them are control frames.

        Counting stops where it is more than the budget can hold.
        """
        position, self._skipped = self._skipped, 0
        if self._head:
            data, self._head = self._head + data, b""
        frames = controls = 0
        size = len(data)
        while position < size and frames <= self._frames.burst:
            end = _end_of_frame(data, position, size)
            if end is None:
                self._head = data[position:]
                return frames, controls
            frames += 1
            controls += bool(data[position] & CONTROL_BIT)
            position = end
        self._skipped = position - size
        return frames, controls


def _end_of_frame(data: bytes, start: int, size: int) -> int | None:
    """Return where a frame ends, possibly beyond the data; None if its head is incomplete."""
    if size - start < 2:
        return None
    second = data[start + 1]
    length, head = second & LENGTH_BITS, 6 if second & MASK_BIT else 2
    extra = EXTENDED_LENGTHS.get(length, 0)
    if extra:
        if size - start < 2 + extra:
            return None
        length = int.from_bytes(data[start + 2 : start + 2 + extra], "big")
    return start + head + extra + length


# The usual frames: a text message in one frame


def read_text_frame(data: bytes, max_length: int) -> str | None:
    """Return the message if these bytes are one frame with a whole text message from a client, as most are.

    None for anything else, well-formed or not: the library's parser reads that.
    """
    size = len(data)
    if size < 6 or data[0] != WHOLE_TEXT or not data[1] & MASK_BIT:
        return None
    length, start = data[1] & LENGTH_BITS, 2
    if length == 126:
        length, start = int.from_bytes(data[2:4], "big"), 4
    if length > max_length or size != start + 4 + length:
        return None
    try:
        return apply_mask(data[start + 4 :], data[start : start + 4]).decode()
    except UnicodeDecodeError:
        return None


def text_frames(messages: Iterable[bytes]) -> bytes:
    """Return text messages of a server, each in one frame."""
    parts = []
    for message in messages:
        length = len(message)
        if length < 126:
            parts.append(bytes((WHOLE_TEXT, length)))
        elif length < 1 << 16:
            parts.append(bytes((WHOLE_TEXT, 126)) + length.to_bytes(2, "big"))
        else:
            parts.append(bytes((WHOLE_TEXT, 127)) + length.to_bytes(8, "big"))
        parts.append(message)
    return b"".join(parts)
