"""Days of daily tables, as YYYY-MM-DD in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

OPENED_AFTER = timedelta(hours=36)  # from the beginning of the day


def day_of(now: float) -> str:
    """Return the day of a time, as YYYY-MM-DD in UTC."""
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def day_before(day: str) -> str:
    """Return the day before a day."""
    return (date.fromisoformat(day) - timedelta(days=1)).isoformat()


def day_after(day: str) -> str:
    """Return the day after a day."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def parse_day(text: str) -> str:
    """Return a day that a person wrote; raise ValueError for anything but YYYY-MM-DD."""
    day = date.fromisoformat(text)
    if day.isoformat() != text:
        raise ValueError(f"{text!r} is not a day as YYYY-MM-DD")
    return text


def beginning_of(day: str) -> float:
    """Return when a day begins."""
    return datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC).timestamp()


def opening_time(day: str) -> float:
    """Return when the deal of a day is opened; a try that ends later counts for nothing: its cards may be known."""
    return beginning_of(day) + OPENED_AFTER.total_seconds()
