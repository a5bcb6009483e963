"""Rate limits: a token bucket per connection or person (docs/decisions/0036-rate-limits.md)."""

from __future__ import annotations

import time
from collections import OrderedDict

from tablee.tables.refusals import Refused

MAX_BUCKETS = 20_000  # per limit; beyond it the least recently used bucket is dropped


class Bucket:
    """A token bucket: holds up to `burst` tokens and gains `rate` per second."""

    __slots__ = ("burst", "rate", "tokens", "updated_at")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self.tokens = burst
        self.updated_at = time.monotonic()

    def spend(self, tokens: float = 1.0) -> bool:
        """Take some tokens; False, and nothing is taken, if there are not so many."""
        now = time.monotonic()
        self.tokens = min(self.burst, self.tokens + (now - self.updated_at) * self.rate)
        self.updated_at = now
        if self.tokens < tokens:
            return False
        self.tokens -= tokens
        return True

    def take(self, tokens: float = 1.0) -> None:
        """Take some tokens; raise Refused (too_fast) if there are not so many."""
        if not self.spend(tokens):
            raise Refused("too_fast")


class Buckets:
    """Token buckets by key, made when a key is first seen."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()  # least recently used first

    def take(self, key: str) -> None:
        """Take a token from a key's bucket; raise Refused (too_fast) if there is none."""
        bucket = self._buckets.pop(key, None) or Bucket(self.rate, self.burst)
        self._buckets[key] = bucket
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        bucket.take()
