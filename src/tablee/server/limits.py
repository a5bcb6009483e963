"""Nobody may ask for more than so much per second: a bucket of tokens for each."""

from __future__ import annotations

import time
from collections import OrderedDict

from tablee.tables.refusals import Refused

MAX_KNOWN = 20_000  # buckets; the one unused for longest is forgotten


class Bucket:
    """Holds up to `burst` tokens and gains `rate` per second."""

    __slots__ = ("at", "burst", "rate", "tokens")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self.tokens = burst
        self.at = time.monotonic()

    def take(self) -> None:
        """Take a token, or refuse."""
        now = time.monotonic()
        self.tokens = min(self.burst, self.tokens + (now - self.at) * self.rate)
        self.at = now
        if self.tokens < 1:
            raise Refused("too_fast")
        self.tokens -= 1


class Buckets:
    """A bucket for everybody who comes."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._known: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, who: str) -> None:
        """Take a token from somebody's bucket, or refuse."""
        bucket = self._known.pop(who, None) or Bucket(self.rate, self.burst)
        self._known[who] = bucket
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)
        bucket.take()
