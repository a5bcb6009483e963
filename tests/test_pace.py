"""The queue in which moves of bots wait to be shown, with a clock that the tests set."""

import pytest

from tablee.terminal.pace import BEATS, PacedChange, PacedQueue, next_pace, store_pace, stored_pace


class FakeLoop:
    """The time and the timers of an event loop."""

    def __init__(self):
        self.now = 100.0
        self.timers = []

    def time(self):
        return self.now

    def call_at(self, when, callback):
        timer = Timer(when, callback)
        self.timers.append(timer)
        return timer

    def pass_time(self, seconds):
        """Let time pass, and call what is due."""
        self.now += seconds
        due = [timer for timer in self.timers if not timer.is_cancelled and timer.when <= self.now]
        self.timers = [timer for timer in self.timers if timer not in due]
        for timer in due:
            timer.callback()


class Timer:
    def __init__(self, when, callback):
        self.when, self.callback, self.is_cancelled = when, callback, False

    def cancel(self):
        self.is_cancelled = True


@pytest.fixture
def loop(monkeypatch):
    loop = FakeLoop()
    monkeypatch.setattr("tablee.terminal.pace.asyncio.get_running_loop", lambda: loop)
    return loop


def queue(pace):
    shown = []
    return PacedQueue(shown.append, pace), shown


def test_moves_of_bots_are_a_beat_apart_and_those_of_people_are_not(loop):
    paced, shown = queue("slow")
    for move in ("bot 1", "bot 2"):
        paced.push(PacedChange(move, is_paced=True))
    paced.push(PacedChange("person"))
    assert shown == ["bot 1"]
    loop.pass_time(BEATS["slow"])
    assert shown == ["bot 1", "bot 2", "person"]


def test_passes_share_a_beat(loop):
    paced, shown = queue("normal")
    for move, code in (("play", ""), ("pass 1", "passed"), ("pass 2", "passed"), ("next", "")):
        paced.push(PacedChange(move, is_paced=True, quiet_code=code))
    loop.pass_time(BEATS["normal"])
    assert shown == ["play", "pass 1", "pass 2"]


def test_step_by_step_nothing_is_shown_until_it_is_asked_for(loop):
    paced, shown = queue("step")
    for move in "abc":
        paced.push(PacedChange(move, is_paced=True))
    loop.pass_time(3600)
    assert shown == ["a"]
    paced.advance()
    assert shown == ["a", "b"]
    paced.catch_up()
    assert (shown, len(paced)) == (["a", "b", "c"], 0)


def test_another_pace_holds_at_once_and_the_fastest_waits_for_nothing(loop):
    paced, shown = queue("step")
    for move in "abc":
        paced.push(PacedChange(move, is_paced=True))
    paced.pace = "fast"
    assert shown == ["a", "b", "c"]


def test_the_chosen_pace_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert stored_pace() == "normal"
    store_pace("slow")
    assert stored_pace() == "slow"
    next(tmp_path.rglob("terminal.json")).write_text('{"pace": "frantic"}')
    assert stored_pace() == "normal"
    assert [next_pace(pace) for pace in BEATS] == ["normal", "slow", "step", "fast"]
