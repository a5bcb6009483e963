"""Rate limits: token buckets per connection, person and address (docs/decisions/0036-rate-limits.md)."""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from typing import NamedTuple

import msgspec

from tablee.tables.refusals import Refused

MAX_BUCKETS = 20_000  # per limit; beyond it the least recently used bucket is dropped


class Bucket(msgspec.Struct, gc=False):
    """A token bucket: holds up to `burst` tokens and gains `rate` per second."""

    rate: float
    burst: float
    tokens: float = math.inf  # no more than `burst` count
    updated_at: float = 0.0

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

    def spend(self, key: str, tokens: float = 1.0) -> bool:
        """Take tokens from a key's bucket; False if there are not so many."""
        bucket = self._buckets.pop(key, None) or Bucket(self.rate, self.burst)
        self._buckets[key] = bucket
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return bucket.spend(tokens)

    def take(self, key: str, tokens: float = 1.0) -> None:
        """Take tokens from a key's bucket; raise Refused (too_fast) if there are not so many."""
        if not self.spend(key, tokens):
            raise Refused("too_fast")


class Client(NamedTuple):
    """Who sends a request, for limits: the id of a person ("": without a name), the group of an address."""

    person: str
    address: str  # "": this machine, which is not limited as an address

    @property
    def key(self) -> str:
        """The person, or for all without a name together their address."""
        return self.person or f"@{self.address}"


class Allowance:
    """A rate per person, and `shared` times as much per address: who takes many names gets no more.

    All people without a name at one address have one person's rate.
    """

    def __init__(self, rate: float, burst: float, shared: float = 10.0) -> None:
        self._people = Buckets(rate, burst)
        self._addresses = Buckets(shared * rate, shared * burst)

    def take(self, client: Client, tokens: float = 1.0) -> None:
        """Take tokens; raise Refused (too_fast) if there are not so many."""
        if client.person or client.address:
            self._people.take(client.key, tokens)
        if client.address:
            self._addresses.take(client.address, tokens)


class SocketCount:
    """The open WebSockets per person and per address; behind a proxy, per forwarded address."""

    def __init__(self, per_person: int, per_address: int) -> None:
        self._per_person, self._per_address = per_person, per_address
        self._people: Counter[str] = Counter()
        self._addresses: Counter[str] = Counter()

    def is_full_for(self, client: Client) -> bool:
        """Whether one more of this client would be too many."""
        is_persons = bool(client.person) and self._people[client.person] >= self._per_person
        return is_persons or (bool(client.address) and self._addresses[client.address] >= self._per_address)

    def add(self, client: Client) -> None:
        """Count a WebSocket."""
        self._people[client.person] += 1
        self._addresses[client.address] += 1

    def remove(self, client: Client) -> None:
        """Count a WebSocket no longer."""
        for counter, key in ((self._people, client.person), (self._addresses, client.address)):
            counter[key] -= 1
            if not counter[key]:
                del counter[key]
