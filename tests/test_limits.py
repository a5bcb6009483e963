"""Rate limits: bursts, refilling, and a bounded number of buckets."""

from contextlib import suppress

import pytest

from tablee.server import limits
from tablee.server.limits import Bucket, Buckets
from tablee.tables.refusals import Refused


class Clock:
    now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(limits, "time", clock)
    return clock


def tokens_left(take):
    count = 0
    with suppress(Refused):
        while True:
            take()
            count += 1
    return count


def test_a_burst_is_allowed_and_then_the_rate(clock):
    bucket = Bucket(rate=2.0, burst=5.0)
    assert tokens_left(bucket.take) == 5
    with pytest.raises(Refused) as refused:
        bucket.take()
    assert refused.value.code == "too_fast"
    clock.now += 0.4
    assert tokens_left(bucket.take) == 0
    clock.now += 1.1
    assert tokens_left(bucket.take) == 3
    clock.now += 3600.0
    assert tokens_left(bucket.take) == 5


def test_keys_have_buckets_of_their_own(clock):
    buckets = Buckets(rate=1.0, burst=2.0)
    assert tokens_left(lambda: buckets.take("a")) == 2
    assert tokens_left(lambda: buckets.take("b")) == 2
    assert tokens_left(lambda: buckets.take("a")) == 0


def test_the_least_recently_used_bucket_is_dropped(clock, monkeypatch):
    monkeypatch.setattr(limits, "MAX_BUCKETS", 2)
    buckets = Buckets(rate=1.0, burst=1.0)
    for key in ("a", "b"):
        buckets.take(key)
    assert tokens_left(lambda: buckets.take("a")) == 0  # used again, so b is the oldest
    buckets.take("c")
    assert tokens_left(lambda: buckets.take("a")) == 0
    assert tokens_left(lambda: buckets.take("b")) == 1
