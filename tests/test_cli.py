"""The command line: output, exit codes and languages of each command."""

import io
import json
import os
import re
import signal
import socket
import string
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from tablee import Match, Record, __version__, all_games, cli
from tablee.cli import play
from tablee.cli.shared import default_language
from tablee.core.languages import languages
from tablee.core.words import common
from tablee.terminal import play_settings

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = ["games", "rules", "play", "simulate", "arena", "bench", "replay", "verify", "new-game", "check"]
COMMANDS += ["serve", "prepare", "doctor", "backup", "restore", "export", "join", "watch"]


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def tablee(monkeypatch, capsys, tmp_path):
    """Run a command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.delenv("TABLEE_CACHE_REPORT", raising=False)

    def run(*arguments, typed=""):
        monkeypatch.setattr(sys, "argv", ["tablee", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as exit_info:
            cli.main()
        captured = capsys.readouterr()
        return Result(exit_info.value.code or 0, captured.out, captured.err)

    return run


def run_process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "LC_ALL": "C", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


# Information


def test_games_are_listed_in_both_languages(tablee):
    for language in languages():
        result = tablee("games", "--lang", language)
        assert result.code == 0
        for game in all_games():
            assert game.words(language).say("tagline") in result.out


def test_games_as_json(tablee):
    games = {game["name"]: game for game in json.loads(tablee("games", "--json").out)}
    assert games["skyjo"]["seats"] == [2, 3, 4, 5, 6, 7, 8]
    assert games["skyjo"]["players"] == "2–8"
    assert games["skyjo"]["options"]["rows"] == [False, True]
    assert games["xe_queo"]["players"] == "2"


def test_listing_games_imports_neither_numba_nor_numpy():
    script = (
        "import sys, atexit, tablee.cli; "
        "atexit.register(lambda: print('loaded:', *{name.partition('.')[0] for name in sys.modules})); "
        "sys.argv[1:] = ['games']; tablee.cli.main()"
    )
    process = run_process("-c", script)
    assert "skyjo" in process.stdout
    assert not {"numba", "numpy"} & set(process.stdout.rpartition("loaded:")[2].split())


def test_a_broken_game_is_reported_and_others_still_work(tmp_path):
    (tmp_path / "crooked").mkdir()
    (tmp_path / "crooked" / "__init__.py").write_text("raise RuntimeError('bent')\n")
    process = run_process("-m", "tablee", "games", TABLEE_GAMES=str(tmp_path))
    assert process.returncode == 0
    assert "skyjo" in process.stdout
    assert "crooked cannot be used: RuntimeError: bent" in process.stderr


def test_rules_are_printed_unchanged(tablee):
    result = tablee("rules", "skyjo", "--lang", "fr")
    assert result.out == next(game for game in all_games() if game.name == "skyjo").rulebook("fr")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LC_ALL": "fr_FR.UTF-8", "LANG": "en_US.UTF-8"}, "fr"),
        ({"LANG": "fr_CA.UTF-8"}, "fr"),
        ({"LC_MESSAGES": "fr", "LANG": "de_DE"}, "fr"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "fr_FR"}, "en"),
        ({}, "en"),
    ],
)
def test_the_default_language_is_that_of_the_environment(monkeypatch, environment, language):
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert default_language() == language


def test_version(tablee):
    assert tablee("--version").out == f"tablee {__version__}\n"


# Wrong usage


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["play", "skyjoo"], "did you mean 'skyjo'?"),
        (["play", "skyjo", "--seats", "9"], "skyjo cannot be played by 9"),
        (["play", "skyjo", "--seats", "3", "--seat", "3"], "there is no seat 3"),
        (["play", "skyjo", "--option", "rows"], "NAME=VALUE"),
        (["play", "skyjo", "--option", "rows=perhaps"], "'perhaps'"),
        (["simulate", "skyjo", "--option", "row=on"], "did you mean 'rows'?"),
        (["play", "skyjo", "--seed", "-1"], "a seed is"),
        (["rules", "skyjo", "--lang", "tlh"], "tlh"),
        (["simulate", "skyjo", "--games", "0"], "Error: Invalid value for '--games'"),
        (["verify", "nowhere.tablee"], "nowhere.tablee"),
        (["dance"], "dance"),
    ],
)
def test_wrong_usage_is_explained_without_a_traceback(tablee, arguments, message):
    result = tablee(*arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(tablee, command):
    result = tablee(command, "--help")
    assert result.code == 0
    assert "Examples:" in result.out
    assert f"tablee {command}" in result.out


def test_exit_codes_and_commands_are_documented(tablee):
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert "130 interrupted" in re.sub(r"\s+", " ", tablee("--help").out)
    assert all(f"`tablee {command}" in page for command in COMMANDS)
    assert all(re.search(rf"\| {code} \|", page) for code in (0, 1, 2, 130))


# Play


def saved_path(result):
    return Path(re.search(r"in (\S+\.tablee)\.", result.out)[1])


def test_the_game_is_saved_at_the_end_of_input_path(tablee):
    result = tablee("play", "skyjo", "--seed", "7", "--name", "Ana", typed="flip a1\n")
    assert result.code == 0
    assert "The game is not over." in result.out
    record = Record.load(saved_path(result))
    assert [player.name for player in record.header.players] == ["Ana", "Bot 1", "Bot 2", "Bot 3"]
    assert [player.kind for player in record.header.players] == ["person", "random 1", "random 1", "random 1"]
    assert record.replay().text(record.replay().moves[0]) == "flip a1"


def test_a_whole_game_in_a_pipe(tablee):
    result = tablee(
        "play", "skyjo", "--seats", "2", "--seed", "7", "--lang", "fr", "--save", "a.tablee", typed="1\n" * 3000
    )
    assert result.code == 0
    assert "La partie est finie." in result.out
    assert "La partie est enregistrée dans a.tablee." in result.out
    assert Record.load("a.tablee").outcome is not None
    assert tablee("verify", "a.tablee").code == 0


def test_an_interrupted_game_is_saved_path(tablee, monkeypatch):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(play, "_read_line", interrupt)
    result = tablee("play", "skyjo", "--seed", "7")
    assert result.code == 130
    assert saved_path(result).is_file()


def test_a_game_is_saved_even_if_the_program_fails(tablee, monkeypatch):
    def fail():
        raise OSError("the terminal is gone")

    monkeypatch.setattr(play, "_read_line", fail)
    result = tablee("play", "skyjo", "--seed", "7")
    assert result.code == 2
    assert "the terminal is gone" in result.err
    assert saved_path(result).is_file()


def test_no_record_is_overwritten(tablee, monkeypatch):
    class Stopped(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 31, 18, 30)

    monkeypatch.setattr(play_settings, "datetime", Stopped)
    paths = [str(saved_path(tablee("play", "skyjo", typed="quit\n"))) for _ in range(3)]
    stem = "skyjo-20260131-183000"
    assert paths == [f"{stem}.tablee", f"{stem}-2.tablee", f"{stem}-3.tablee"]


def test_an_existing_file_is_refused_before_the_game(tablee):
    Path("mine.tablee").write_text("precious")
    result = tablee("play", "skyjo", "--save", "mine.tablee")
    assert result.code == 2
    assert "mine.tablee already exists" in result.err
    assert Path("mine.tablee").read_text() == "precious"


@pytest.mark.parametrize("answer", ["skyjo", "SKYJO", "number"])
def test_without_a_name_the_game_is_asked_for(tablee, answer):
    if answer == "number":
        answer = re.search(r"(\d+)\. skyjo: ", tablee("play").out)[1]
    result = tablee("play", "--seed", "7", typed=f"chess\n{answer}\nquit\n")
    assert "There is no game 'chess'." in result.out
    assert "Skyjo, with Bot 1, Bot 2, Bot 3. You are Player 1." in result.out


def test_end_of_input_instead_of_a_game_is_wrong_usage(tablee):
    assert tablee("play").code == 2


def test_another_seat_and_options(tablee):
    result = tablee("play", "skyjo", "--seats", "2", "--seat", "1", "--option", "rows=on", "--option", "opening=auto")
    record = Record.load(saved_path(result))
    assert [player.kind for player in record.header.players] == ["random 1", "person"]
    assert dict(record.header.options)["rows"] == "on"


# Research


def test_simulate_prints_tables(tablee):
    result = tablee("simulate", "skyjo", "--games", "5", "--seats", "2", "--lang", "fr")
    assert result.code == 0
    assert re.search(r"Parties +5\n", result.out)
    assert "Joueur 2" in result.out
    assert "La première place gagne" in result.out
    assert "100 points" in result.out


def test_simulate_json_is_reproducible(tablee):
    runs = [json.loads(tablee("simulate", "skyjo", "--games", "5", "--seed", "3", "--json").out) for _ in range(2)]
    for run in runs:
        del run["seconds"], run["moves_per_second"]
    assert runs[0] == runs[1]
    assert runs[0]["games"] == 5
    assert len(runs[0]["per_seat"]) == runs[0]["seats"] == 4


def test_simulate_writes_a_plot(tablee):
    result = tablee("simulate", "skyjo", "--games", "5", "--plot", "a.svg")
    assert "The picture is in a.svg." in result.err
    assert "<svg" in Path("a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "reason"), [("no name", "is no name of a Minari"), ("skyjo/kept-v0", "delete it")])
def test_the_name_of_a_minari_dataset_is_checked_before_any_game_is_played(name, reason, tablee, monkeypatch, tmp_path):
    pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    (tmp_path / "minari" / "skyjo" / "kept-v0").mkdir(parents=True)
    result = tablee("dataset", "skyjo", "--bots", "random", "--games", 1, "--into", "games", "--minari", name)
    assert result.code == 2
    assert reason in result.err
    assert "Traceback" not in result.err
    assert not (tmp_path / "games").exists()


def test_bench_prints_a_line_per_figure(tablee, monkeypatch):
    monkeypatch.setattr("tablee.cli.research.BENCH_SECONDS", 0.0)
    figures = [json.loads(line) for line in tablee("bench", "skyjo", "--json").out.splitlines()]
    assert [figure["figure"] for figure in figures] == ["one_core", "all_cores", "kernels", "match"]
    assert all(figure["moves_per_second"] > 0 for figure in figures)


# Saved games


@pytest.fixture
def record(tmp_path):
    match = Match("skyjo", seats=2, seed=3, players=["Ana", "Bo"])
    while not match.is_over:
        match.play(match.legal_moves()[0])
    path = tmp_path / "game.tablee"
    match.record().save(path)
    return path


def test_verify_reports_a_valid_record(tablee, record):
    result = tablee("verify", record)
    assert result.code == 0
    moves = len(Record.load(record).moves)
    assert f"in order. Skyjo, {moves} moves replayed" in result.out
    assert tablee("verify", record, "--commitment", Record.load(record).header.origin.commitment).code == 0


@pytest.mark.parametrize("damage", [lambda text: text.replace("flip a1", "flip a2", 1), lambda text: text[:-20]])
def test_verify_detects_a_changed_record(tablee, record, damage):
    record.write_text(damage(record.read_text()))
    result = tablee("verify", record)
    assert result.code == 1
    assert "not in order" in result.out


def test_verify_detects_a_wrong_commitment(tablee, record):
    assert tablee("verify", record, "--commitment", "0" * 64).code == 1


def test_replay_depends_on_the_viewer(tablee, record):
    spectator, first, everyone = (tablee("replay", record, *who).out for who in ((), ("--seat", 0), ("--open",)))
    assert spectator.splitlines()[0].startswith("Skyjo: Ana, Bo (seats=2")
    assert len({spectator, first, everyone}) == 3
    assert all("The game is over." in lines for lines in (spectator, first, everyone))


@pytest.mark.parametrize("who", [("--seat", 2), ("--seat", 0, "--open")])
def test_replay_refuses_an_unknown_seat_and_two_viewers(tablee, record, who):
    assert tablee("replay", record, *who).code == 2


def test_replay_of_a_changed_record_is_refused(tablee, record):
    record.write_text(record.read_text().replace("seats: 2", "seats: 3"))
    assert tablee("replay", record).code == 2


# New games


@pytest.fixture
def new_game(tablee, tmp_path):
    """Create a game in a separate folder."""
    result = tablee("new-game", "tiny_game", "--into", tmp_path / "mine")
    assert result.code == 0
    assert f"export TABLEE_GAMES={tmp_path / 'mine'}" in result.out
    return tmp_path / "mine" / "tiny_game"


def check(*arguments, **environment):
    """Check a game interpreted, which is fast for a small one."""
    return run_process("-m", "tablee", "check", *map(str, arguments), NUMBA_DISABLE_JIT="1", **environment)


def test_a_new_game_conforms_to_the_contract(new_game):
    process = check(new_game.name, TABLEE_GAMES=str(new_game.parent))
    assert process.returncode == 0, process.stdout + process.stderr
    assert re.fullmatch(
        "tiny_game: no violation found. This was not the whole check, .*\n"
        r"  Brief budget, interpreted kernels, seed 2026: (\d+) of \1 checks, .*\n",
        process.stdout,
    )


def test_a_part_of_the_check_says_so(new_game):
    """By its folder, without TABLEE_GAMES."""
    arguments = ("--only", "turns_fit", "--thorough", "--seed", "7", "--setup", "seats=2 hand=4")
    process = check(new_game, *arguments)
    assert process.returncode == 0, process.stderr
    assert "This was not the whole check" in process.stdout
    assert "Thorough budget, interpreted kernels, seed 7: 1 of " in process.stdout


def test_a_violation_of_the_contract_is_reported(new_game):
    words = new_game / "words" / "fr.toml"
    words.write_text(words.read_text(encoding="utf-8").replace("tagline", "slogan", 1), encoding="utf-8")
    process = check(new_game)
    assert process.returncode == 1
    assert "words_agree" in process.stdout
    assert f"\n  NUMBA_DISABLE_JIT=1 tablee check {new_game} --only words_agree\n" in process.stdout
    assert "tiny_game does not conform to the contract: 1 violation." in process.stdout


def test_an_exception_that_ends_many_checks_is_told_once(new_game):
    rules = new_game / "rules.py"
    right = rules.read_text(encoding="utf-8")
    rules.write_text(right.replace("state.played_count += 1", "state.played[99] = 1", 1), encoding="utf-8")
    process = check(new_game)
    assert process.returncode == 1
    assert len(re.findall(r"IndexError: .*\(rules.py, line \d+\)\n", process.stdout)) == 1
    assert re.search(r"\n  \d+ other checks end with the same exception\.\n", process.stdout)
    process = check(new_game, "--only", "ends_have_reasons")
    assert re.match(
        r"ends_have_reasons: tiny_game \(seats=3 .*, seed 2026, stream 1, after move 0\): IndexError: ", process.stdout
    )
    assert "tiny_game does not conform to the contract: 1 violation." in process.stdout


def test_a_game_that_cannot_be_loaded_is_reported_once(new_game):
    sight = new_game / "sight.py"
    sight.write_text(sight.read_text(encoding="utf-8").replace('start("hand")', 'start("hend")'), encoding="utf-8")
    process = check(new_game)
    assert process.returncode == 1
    assert re.fullmatch(
        r"tiny_game: BadGame: the layout has no block 'hend'; did you mean 'hand'\? \(sight.py, line \d+\)\n"
        "tiny_game cannot be loaded, so nothing was checked.\n",
        process.stdout,
    )


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["skyjo", "--brief", "--thorough"], "exclude each other"),
        (["--watch"], "need a game"),
        (["--setup", "seats=2"], "need a game"),
        (["skyjo", "--only", "turns_fitt"], "there is no check 'turns_fitt'; did you mean 'turns_fit'?"),
        (["skyjo", "--setup", "seats=many"], "'seats' is a number, not 'many'"),
        (["skyjo", "--setup", "colour=red"], "skyjo has no option 'colour'"),
        (["skyjoo"], "did you mean 'skyjo'?"),
        (["./nowhere"], "there is no game in"),
    ],
)
def test_a_check_that_makes_no_sense_is_refused(tablee, arguments, why):
    result = tablee("check", *arguments)
    assert result.code == 2
    assert why in result.err


class Watch:
    """`tablee check --watch` of one quick check, in a process of its own."""

    def __init__(self, folder):
        command = [sys.executable, "-m", "tablee", "check", str(folder), "--watch", "--only", "words_agree"]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        self.process = subprocess.Popen(command, env={**os.environ, "LC_ALL": "C"}, **pipes)

    def read_until(self, text):
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if text in line:
                return "".join(lines)
        raise AssertionError("".join(lines))


def test_watching_checks_again_after_each_save(new_game):
    watch = Watch(new_game)
    watch.read_until("Brief budget, interpreted kernels")
    watch.read_until("Usual budget, compiled kernels")
    words = new_game / "words" / "fr.toml"
    right = words.read_text(encoding="utf-8")
    words.write_text(right.replace("tagline", "slogan", 1), encoding="utf-8")
    assert "words_agree" in watch.read_until("Brief budget, interpreted kernels")
    words.write_text(right, encoding="utf-8")
    watch.read_until("no violation found")
    watch.process.send_signal(signal.SIGINT)
    assert "Traceback" not in watch.process.communicate()[0]
    assert watch.process.returncode == 130


def test_the_name_of_an_existing_game_is_refused(tablee, tmp_path):
    result = tablee("new-game", "skyjo", "--into", tmp_path)
    assert result.code == 2
    assert "'skyjo' already" in result.err


def test_outside_a_checkout_a_folder_is_required(tablee, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    result = tablee("new-game", "tiny_game")
    assert result.code == 2
    assert "--into FOLDER" in result.err


# Words


def test_both_languages_have_the_same_words_and_parameters():
    def shape(language):
        texts = common(language).texts
        return {key: {part[1] for part in string.Formatter().parse(text) if part[1]} for key, text in texts.items()}

    assert shape("en") == shape("fr")


def test_serving_on_a_port_in_use_is_refused_before_anything_is_written(tablee, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        result = tablee("serve", "--port", other.getsockname()[1])
    assert result.code == 2
    assert "try another --port" in result.err
    assert not list(tmp_path.iterdir())


def test_serving_with_several_processes_requires_postgresql(tablee):
    result = tablee("serve", "--workers", "2")
    assert result.code == 2
    assert "2 processes need PostgreSQL" in result.err
