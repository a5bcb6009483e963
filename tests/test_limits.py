"""Limits: rates of people and addresses, turns at costly work, names, hosts and origins."""

import asyncio
from contextlib import suppress

import pytest
from starlette.requests import HTTPConnection

from tablee.protocol.stored import StoredSummary, encode_summary
from tablee.server import limits
from tablee.server.bot_pool import BotPool
from tablee.server.catalogue import fairly_listed
from tablee.server.host_check import HostCheck
from tablee.server.identity import normalize_name
from tablee.server.limits import Allowance, Bucket, Buckets, Client, SocketCount
from tablee.server.metrics import Metrics
from tablee.server.requests import is_foreign
from tablee.server.settings import Settings
from tablee.server.turns import FairTurns
from tablee.storage import TableRow
from tablee.tables.bot_threads import BotThreads
from tablee.tables.commands import Actor
from tablee.tables.creation import Secrets, TableRequest, new_table
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


def test_many_names_at_one_address_get_no_more_than_it_is_allowed(clock):
    allowance = Allowance(rate=1.0, burst=5.0, shared=3)
    taken = [tokens_left(lambda name=name: allowance.take(Client(name, "192.0.2.1"))) for name in "abcdef"]
    assert taken == [5, 5, 5, 0, 0, 0]
    assert tokens_left(lambda: allowance.take(Client("g", "192.0.2.2"))) == 5


def test_people_without_a_name_share_the_rate_of_their_address(clock):
    allowance = Allowance(rate=1.0, burst=5.0)
    assert tokens_left(lambda: allowance.take(Client("", "192.0.2.1"))) == 5
    assert tokens_left(lambda: allowance.take(Client("", "192.0.2.2"))) == 5
    for _ in range(100):
        allowance.take(Client("", ""))  # this machine


def test_sockets_are_counted_per_person_and_address():
    sockets = SocketCount(per_person=2, per_address=3)
    ana, ben = Client("a", "192.0.2.1"), Client("b", "192.0.2.1")
    for client in (ana, ana, ben):
        assert not sockets.is_full_for(client)
        sockets.add(client)
    assert sockets.is_full_for(ana)
    assert sockets.is_full_for(ben)
    sockets.remove(ana)
    assert not sockets.is_full_for(Client("", "192.0.2.1"))


# Turns


def order_of_turns(keys, at_once=1, **options):
    """Ask for turns under these keys while all are taken; return in which order they come, and the refused ones."""
    order, refused = [], []

    async def ask(turns, key):
        try:
            async with turns.turn(key):
                order.append(key)
                await asyncio.sleep(0)
        except Refused:
            refused.append(key)

    async def main():
        turns = FairTurns(at_once, **options)
        async with turns.turn("first"):
            asked = [asyncio.create_task(ask(turns, key)) for key in keys]
            await asyncio.sleep(0)
        await asyncio.gather(*asked)
        assert turns._free == at_once

    asyncio.run(main())
    return "".join(order), "".join(refused)


def test_those_who_wait_take_turns():
    assert order_of_turns("aaaaaabbc")[0] == "abcabaaaa"


def test_too_many_requests_of_one_are_refused():
    assert order_of_turns("aaaaab", max_waiting=3) == ("abaa", "aa")


def test_who_gives_up_waiting_takes_no_turn():
    async def main():
        turns = FairTurns(1)
        async with turns.turn("first"):
            waiting = [asyncio.create_task(turns.run(key, str)) for key in "abc"]
            await asyncio.sleep(0)
            waiting[1].cancel()
        done = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(each) for each in done] == [str, asyncio.CancelledError, str]
        return turns._free

    assert asyncio.run(main()) == 1


def test_bots_of_different_people_think_in_turns(monkeypatch):
    """However many tables one of them has."""
    order = []

    async def think(_, table, seat):
        order.append(table.id)
        await asyncio.sleep(0)
        return ""

    def table(name, person):
        request = TableRequest("skyjo", 2, bots=("random",))
        return new_table(name, request, Secrets(1, "word"), Actor(person, person), 0.0, ("random",)).table

    async def main():
        pool = BotPool(Settings(bot_threads=1), Metrics())
        tables = [*(table(f"eve {number}", "eve") for number in range(4)), table("ana 1", "ana")]
        await asyncio.gather(*(pool.move(each, 1) for each in tables))
        pool.close()

    monkeypatch.setattr(BotThreads, "move", think)
    asyncio.run(main())
    assert order == ["eve 0", "eve 1", "ana 1", "eve 2", "eve 3"]


# Names


@pytest.mark.parametrize(
    "name", ["\u3164", "\u2800", "\u2800 \u2800", "An\u3164a", "\u0301", "\u115f\u1160", "\ufe0f", "", " "]
)
def test_names_that_cannot_be_seen_are_refused(name):
    with pytest.raises(Refused):
        normalize_name(name)


@pytest.mark.parametrize("name", ["Ana", "José", "Łukasz", "明", "Ζωή", "नमिता", "❤\ufe0f", "O'Neil-3"])
def test_names_of_all_scripts_are_accepted(name):
    assert normalize_name(f" {name} ") == name


# Hosts and origins


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("tablee.example", True),
        ("TABLEE.example:8000", True),
        ("other.example", True),
        ("192.168.1.5:8000", True),
        ("[::1]:8000", True),
        ("localhost:8000", True),
        ("laptop.local", True),
        ("", True),
        ("evil.example", False),
        ("tablee.example.evil.example", False),
        ("evil.example:8000", False),
        ("[::1", False),
    ],
)
def test_only_the_servers_own_names_are_served(host, is_own):
    settings = Settings(address="https://tablee.example", hosts="other.example")
    assert HostCheck(None, settings).is_own(host) == is_own


@pytest.mark.parametrize(
    ("origin", "scheme", "address", "expected"),
    [
        (None, "http", "", False),
        ("http://h:1", "http", "", False),
        ("https://h:1", "http", "", False),  # behind a proxy that does not say that it speaks HTTPS
        ("http://h:1", "https", "", True),
        ("http://h:1", "wss", "", True),
        ("https://h:1", "wss", "", False),
        ("http://h:2", "http", "", True),
        ("null", "http", "", True),
        ("https://tablee.example", "http", "https://tablee.example", False),
        ("http://tablee.example", "http", "https://tablee.example", True),
        ("http://[", "http", "", True),
    ],
)
def test_pages_of_other_sites_and_without_https_are_foreign(origin, scheme, address, expected):
    headers = [(b"host", b"h:1")] + ([(b"origin", origin.encode())] if origin else [])
    scope = {"type": "http", "headers": headers, "scheme": scheme, "path": "/", "query_string": b"", "server": ("h", 1)}
    assert is_foreign(HTTPConnection(scope), address) == expected


# The lobby


def row(number, owner, phase="gathering", at=0.0):
    summary = encode_summary(StoredSummary(people=(owner, "")))
    return TableRow(f"t{number}", "skyjo", phase, True, number, at, summary)


def test_nobody_fills_the_lobby():
    flood = [row(number, f"eve {number % 11}") for number in range(200, 90, -1)]
    listed = fairly_listed([*flood, row(1, "ana")], now=10.0)
    assert listed[-1].id == "t1"
    assert len(listed) == 11 * 3 + 1
    many = [row(number, f"eve {number}") for number in range(900, 500, -1)]
    assert len(fairly_listed(many, now=10.0)) == 100


def test_tables_that_wait_for_a_day_leave_the_lobby():
    rows = [row(3, "a", at=100_000.0), row(2, "b", at=10.0), row(1, "c", "playing", at=10.0)]
    assert [each.id for each in fairly_listed(rows, now=100_001.0)] == ["t3", "t1"]
