"""Which tests run interpreted, and which are quick; what makes them reproducible."""

from __future__ import annotations

import os
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

import seeds

# A job in the background of a shell ignores SIGINT, and so would the processes that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is kept without a file being named goes to the current folder, which most tests make for themselves.
os.environ.setdefault("TABLEE_DATA", ".")

# Tests of everything around the kernels. They run interpreted, so that nothing has to be compiled for them first; that
# interpreted and compiled kernels agree is proven by the conformance suite (`modes_agree`).
SURFACES = {
    "test_adapters_fuzz",
    "test_adapters_gymnasium",
    "test_adapters_openspiel",
    "test_adapters_pettingzoo",
    "test_adapters_vector",
    "test_bad_starts",
    "test_batch_arguments",
    "test_boards",
    "test_bots",
    "test_chance",
    "test_coach",
    "test_coach_web",
    "test_compatibility",
    "test_connection_limits",
    "test_daily",
    "test_datasets",
    "test_daily_web",
    "test_doctor",
    "test_documents",
    "test_equilibria",
    "test_evening",
    "test_example_game",
    "test_health",
    "test_hosts",
    "test_identities",
    "test_kill",
    "test_layouts",
    "test_leaks_on_the_wire",
    "test_lesson_terminal",
    "test_lesson_web",
    "test_lessons",
    "test_limits",
    "test_live",
    "test_notebooks",
    "test_older_files",
    "test_pages",
    "test_plain",
    "test_protocol",
    "test_progress",
    "test_puzzle_web",
    "test_puzzles",
    "test_reach",
    "test_reductions",
    "test_replays",
    "test_rests",
    "test_review",
    "test_server_puzzles",
    "test_server_reviews",
    "test_sockets",
    "test_rewards",
    "test_rulebooks",
    "test_scale",
    "test_selection",
    "test_served_games",
    "test_served_tables",
    "test_server",
    "test_server_compose",
    "test_server_hostile",
    "test_server_processes",
    "test_shipped_puzzles",
    "test_static_files",
    "test_statistics",
    "test_stepper",
    "test_storage",
    "test_table_commands",
    "test_table_hosts",
    "test_table_log",
    "test_table_people",
    "test_tables",
    "test_terminal",
    "test_terminal_app",
    "test_terminal_server",
    "test_terminal_sizes",
    "test_turn_messages",
    "test_tutorial",
    "test_web",
    "test_writer_process",
}


# Tests that `make quick` runs, besides those in the games' folders: seconds each, no server, browser or compiler.
QUICK = {
    "test_clauses",
    "test_fields",
    "test_language",
    "test_live",
    "test_match",
    "test_notices",
    "test_plain",
    "test_protocol",
    "test_readme",
    "test_records",
    "test_registry",
    "test_rewards",
    "test_table_hosts",
    "test_tables",
    "test_terminal",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of surfaces and the quick ones."""
    for item in items:
        if item.path.stem in SURFACES:
            item.add_marker(pytest.mark.surface)
        if item.path.stem in QUICK or "games" in item.path.parts:
            item.add_marker(pytest.mark.quick)


# Reproducible tests


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Prepare the file that names the running test; have Hypothesis draw the same examples every time."""
    descriptor, path = tempfile.mkstemp(prefix="tablee-test-")
    os.close(descriptor)
    os.environ[seeds.TEST_FILE] = path
    with suppress(ImportError):
        from hypothesis import settings

        settings.register_profile("tablee", deadline=None, derandomize=not seeds.BASE_SEED)
        settings.load_profile("tablee")
        if seeds.BASE_SEED and config.option.hypothesis_seed is None:
            config.option.hypothesis_seed = seeds.BASE_SEED


def pytest_unconfigure() -> None:
    """Remove the file."""
    Path(os.environ[seeds.TEST_FILE]).unlink(missing_ok=True)


def pytest_report_header() -> str:
    """Print the base seed."""
    return f"base seed: {seeds.BASE_SEED} (TABLEE_TEST_SEED sets another)"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Name the running test."""
    Path(os.environ[seeds.TEST_FILE]).write_text(item.nodeid, encoding="utf-8")


@pytest.fixture(scope="session", autouse=True)
def _reproducible_seeds() -> None:
    seeds.replace_secrets()
