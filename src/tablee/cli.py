"""The command line. Every command loads what it needs and nothing more: `tablee games` must answer at once."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablee import __version__
from tablee.core.errors import BadRecord, BadSetup, TableeError
from tablee.core.registry import all_games, find_game, scan
from tablee.core.words import LANGUAGES, Words, common

if TYPE_CHECKING:
    from tablee.arena.holding import Holding
    from tablee.core.game import Game, Setup, Value
    from tablee.core.warming import Rehearsal
    from tablee.records import Record
    from tablee.simulation import Results
    from tablee.terminal.lobby import LobbyScreen
    from tablee.terminal.replay_screen import ReplayScreen
    from tablee.terminal.sitting import Sitting
    from tablee.terminal.table_screen import TableScreen

NOT_SO, WRONG_USE, INTERRUPTED = 1, 2, 130


class Place(StrEnum):
    """Where an arena is played."""

    HERE = "here"
    RAY = "ray"


BENCH_SECONDS = 1.0  # of measuring per figure, at least
EXIT_CODES = (
    "Exit codes: 0 all is well; 1 what was asked about is not so (a record that does not verify, a game that does not "
    "conform); 2 wrong use or bad input; 130 interrupted."
)

app = typer.Typer(
    help="Tabletop games to play and to study, from one set of rules.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich" if sys.stdout.isatty() and sys.stderr.isatty() else None,  # no boxes in a pipe
)


def main() -> None:
    """Run the command line; what goes wrong is said in one line."""
    try:
        app()
    except (TableeError, OSError) as why:
        print(f"tablee: {why}", file=sys.stderr)
        sys.exit(WRONG_USE)
    finally:
        _report_cache()


def _report_cache() -> None:
    if os.environ.get("TABLEE_CACHE_REPORT") == "1":
        from tablee.core.compiling import cache_counts

        hits, misses = cache_counts()
        print(f"cache: {hits} hits, {misses} misses", file=sys.stderr)


# Arguments and options that several commands share


def usual_language() -> str:
    """Return the language of the environment, English if there are no words in it."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(variable):
            language = os.environ[variable][:2].lower()
            return language if language in LANGUAGES else "en"
    return "en"


def _known_language(language: str) -> str:
    if language not in LANGUAGES:
        raise typer.BadParameter(f"{language!r} is not one of {', '.join(LANGUAGES)}")
    return language


def _game_names(incomplete: str) -> list[str]:
    return [game.name for game in all_games() if game.name.startswith(incomplete)]


def _examples(*lines: str) -> str:
    return "\n\n".join(["Examples:", *lines])


GameName = Annotated[str, typer.Argument(metavar="GAME", autocompletion=_game_names, help="Which game: tablee games.")]
AnyGameName = Annotated[
    str | None, typer.Argument(metavar="GAME", autocompletion=_game_names, help="Which game; all if left out.")
]
Language = Annotated[
    str,
    typer.Option(
        "--lang", default_factory=usual_language, callback=_known_language, help="en or fr; else as LANG says."
    ),
]
Seats = Annotated[int | None, typer.Option(help="How many play; as usual if left out.")]
Seed = Annotated[int | None, typer.Option(help="The same seed deals the same cards; a secret one if left out.")]
Options = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="A variant; may be repeated.")
]
Plain = Annotated[bool, typer.Option("--plain", help="Plain lines, for pipes and screen readers.")]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]
RecordFile = Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="A saved game.")]
TrustStart = Annotated[
    bool, typer.Option(help="Accept a record that begins in a position; only if you know its maker.")
]


def _setup(game: Game, seats: int | None, options: list[str] | None) -> Setup:
    chosen: dict[str, Value] = {}
    for text in options or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise BadSetup(f"an option is written NAME=VALUE, not {text!r}")
        chosen[name.strip()] = game.option(name.strip()).parse(value)
    return game.setup(seats, chosen)


def _title(game: Game, language: str) -> str:
    return game.words(language).say("title")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"tablee {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Tabletop games to play and to study, from one set of rules."""


# What there is


@app.command(epilog=_examples("tablee games", "tablee games --lang fr", "tablee games --json"))
def games(language: Language, as_json: AsJson = False) -> None:
    """List the games."""
    words = common(language)
    usable, broken = _usable_games(language)
    rows = [_description(game, language) for game in usable]
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        _print_games(rows, words)
    for name, why in broken.items():
        print(words.say("games.broken", name=name, why=why), file=sys.stderr)


def _usable_games(language: str) -> tuple[list[Game], dict[str, str]]:
    """Return the games one can play in a language, and why one cannot play the others."""
    usable, broken = [], dict(scan().broken)
    for game in all_games():
        try:
            game.words(language)
            usable.append(game)
        except TableeError as why:
            broken[game.name] = str(why)
    return usable, broken


def _print_games(rows: list[dict[str, Any]], words: Words) -> None:
    from tablee.terminal.printing import print_table

    if not rows:
        print(words.say("games.none"))
        return
    keys = ("name", "title", "players", "minutes", "tagline")
    print_table([words.say(f"games.{key}") for key in keys], [[str(row[key]) for key in keys] for row in rows])


def _description(game: Game, language: str) -> dict[str, Any]:
    words = game.words(language)
    return {
        "name": game.name,
        "title": words.say("title"),
        "players": str(game.seats[0]) if len(game.seats) == 1 else f"{game.seats[0]}–{game.seats[-1]}",
        "minutes": game.minutes,
        "tagline": words.say("tagline"),
        "seats": list(game.seats),
        "usual_seats": game.usual_seats,
        "version": game.version,
        "options": {option.name: list(option.choices) for option in game.options},
    }


@app.command(epilog=_examples("tablee rules GAME", "tablee rules GAME --lang fr | less"))
def rules(game: GameName, language: Language) -> None:
    """Print the rulebook of a game."""
    from tablee.terminal.printing import print_markdown

    print_markdown(find_game(game).rulebook(language))


# Play


@app.command(
    epilog=_examples("tablee play", "tablee play GAME --bots expert,club", "tablee play GAME --plain --seed 7")
)
def play(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", autocompletion=_game_names, help="Which game; else you are asked.")
    ] = None,
    *,
    language: Language,
    seats: Seats = None,
    seat: Annotated[int, typer.Option(min=0, help="Where you sit, counted from 0.")] = 0,
    seed: Seed = None,
    option: Options = None,
    bots: Annotated[
        str | None, typer.Option(metavar="NAME,…", help="Who plays against you: random, greedy, novice, club, expert.")
    ] = None,
    name: Annotated[str, typer.Option(help="Your name.")] = "",
    plain: Plain = False,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Where the record of the game goes.")] = None,
) -> None:
    """Play against bots; the record of the game is saved, also if you leave early."""
    from tablee.terminal.sitting import Sitting

    if save is not None and save.exists():
        raise TableeError(common(language).say("play.exists", path=save))
    in_lines = _is_plain(plain)
    chosen = find_game(game) if game else _asked_game(language) if in_lines else None
    usual = "random" if in_lines else "club"
    known = _usable_games(language)[0]
    wished = chosen or known[0]
    setup = _setup(wished, seats, option) if chosen else wished.setup()
    opponents = tuple(bot.strip() for bot in (bots or usual).split(","))
    sitting = Sitting(wished, setup, language, seat, opponents, name, seed, save)
    if in_lines:
        raise typer.Exit(_play_in_lines(sitting))
    from tablee.terminal import starting

    _run(starting.table(sitting) if chosen else starting.lobby(known, sitting))


@app.command(epilog=_examples("tablee join 'http://localhost:8000/#table/ID/INVITE' --name Ana"))
def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="The invite link of a table.")],
    language: Language,
    name: Annotated[str | None, typer.Option(help="Your name; asked if left out.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Which seat, counted from 0; any free one else.")] = None,
) -> None:
    """Sit down at a table of a server, with the people who have it open in a browser."""
    from tablee.terminal import starting

    _demand_terminal()
    person = name or typer.prompt(common(language).say("terminal.your_name"))
    _run(starting.joined(url, language, person, sits=True, seat=seat))


@app.command(epilog=_examples("tablee watch 'http://localhost:8000/#table/ID'"))
def watch(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of a table.")], language: Language
) -> None:
    """Look at a table of a server."""
    from tablee.terminal import starting

    _demand_terminal()
    _run(starting.joined(url, language, "", sits=False))


def _is_plain(plain: bool) -> bool:
    """Whether to speak in lines: if asked to, in a pipe, and where Textual is not installed."""
    return plain or not (sys.stdin.isatty() and sys.stdout.isatty()) or find_spec("textual") is None


def _demand_terminal() -> None:
    if _is_plain(False):
        raise TableeError("this needs a terminal, and pip install 'tablee[terminal]'")


def _run(first: TableScreen | LobbyScreen | ReplayScreen) -> None:
    """Run the application; what there is to say when its screen is gone is said."""
    from tablee.terminal.starting import application

    running = application(first)
    running.run()
    for farewell in running.farewells:
        print(farewell)
    raise typer.Exit(running.return_code or 0)


def _asked_game(language: str) -> Game:
    """Ask which game, until there is one of that name or number."""
    words = common(language)
    known, _ = _usable_games(language)
    for number, game in enumerate(known, start=1):
        print(f"  {number}. {game.name}: {_title(game, language)}. {game.words(language).say('tagline')}")
    print(words.say("play.which"))
    while True:
        try:
            text = input("> ").strip()
        except EOFError:
            raise BadSetup("no game was chosen") from None
        if text.isdecimal() and 1 <= int(text) <= len(known):
            return known[int(text) - 1]
        for game in known:
            if text.lower() in (game.name, _title(game, language).lower()):
                return game
        print(words.say("play.no_game", text=text))


def _play_in_lines(sitting: Sitting) -> int:
    """Let the person play to the end, or leave; return the exit code."""
    _warm_for(sitting.game, sitting.rehearsal, sitting.language)
    from tablee.terminal.plain import PlainTable

    with suppress(ImportError):
        import readline  # noqa: F401  (line editing, where there is a terminal)
    words, match, bots = common(sitting.language), sitting.begin(), sitting.opponents()
    table = PlainTable(match, sitting.seat, sitting.language, read=_read_line, write=print, bots=bots)
    code = 0
    try:
        table.run()
    except EOFError:
        print()
    except KeyboardInterrupt:
        print()
        code = INTERRUPTED
    finally:
        if not match.is_over:
            print(words.say("play.interrupted"))
        print(words.say("play.saved", path=sitting.keep(match, bots)))
    return code


def _read_line() -> str:
    return input("> ")


def _warm(game: Game, module: str, rehearsal: str, language: str) -> None:
    """Compile what is needed, with a bar, if this is the first time."""
    _warm_for(game, lambda: getattr(importlib.import_module(module), rehearsal), language)


def _warm_for(game: Game, rehearsal: Callable[[], Rehearsal], language: str) -> None:
    from tablee.core.warming import warm, without_scipy
    from tablee.terminal.printing import progress_bar

    with (
        without_scipy(),
        progress_bar(common(language).say("compiling.once", title=_title(game, language))) as progress,
    ):
        warm(game, rehearsal(), progress)


# Study


@app.command(
    epilog=_examples("tablee simulate GAME --games 100000", "tablee simulate GAME --seats 3 --seed 1 --plot games.png")
)
def simulate(
    game: GameName,
    *,
    language: Language,
    games: Annotated[int, typer.Option(min=1, help="How many.")] = 10_000,
    seats: Seats = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same games.")] = 1,
    option: Options = None,
    as_json: AsJson = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw a picture: .png, .svg or .pdf.")] = None,
) -> None:
    """Play many random games on all cores, and say how they went."""
    chosen = find_game(game)
    setup = _setup(chosen, seats, option)
    _warm(chosen, "tablee.simulation.running", "SIMULATING", language)
    from tablee.simulation import random_games
    from tablee.simulation.report import draw_picture
    from tablee.terminal.printing import progress_bar

    words = common(language)
    with progress_bar(words.say("simulate.playing", title=_title(chosen, language))) as show:
        done = 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            show(done, games)

        results = random_games(chosen, setup, games, seed, progress=progress)
    if as_json:
        print(json.dumps(results.as_dict(), ensure_ascii=False))
    else:
        _print_results(results, language)
    if plot is not None:
        draw_picture(results, plot, language)
        print(words.say("simulate.drawn", path=plot), file=sys.stderr)


def _print_results(results: Results, language: str) -> None:
    from tablee.simulation import report
    from tablee.terminal.printing import print_table

    words = common(language)
    title = _title(results.game, language)
    heading = words.say("simulate.heading", title=title, setup=results.setup, seed=results.seed)
    print_table(
        [words.say(f"simulate.{key}") for key in ("figure", "value")], report.figure_rows(results, language), heading
    )
    columns = ("seat", "score_mean", "score_sd", "score_min", "score_max", "win_share", "interval")
    print_table([words.say(f"simulate.{key}") for key in columns], report.seat_rows(results, language))
    print(report.advantage_line(results, language))
    heads = [words.say("simulate.ended"), words.say("simulate.games"), words.say("simulate.share")]
    print_table(heads, report.reason_rows(results, language))


@app.command(epilog=_examples("tablee bench", "tablee bench GAME --json"))
def bench(language: Language, game: AnyGameName = None, as_json: AsJson = False) -> None:
    """Measure moves per second on this machine, with the usual number of players."""
    for chosen in [find_game(game)] if game else all_games():
        _warm(chosen, "tablee.simulation.running", "SIMULATING", language)
        figures = dict(_figures(chosen))
        if as_json:
            for name, rate in figures.items():
                print(json.dumps({"game": chosen.name, "figure": name, "moves_per_second": round(rate)}))
        else:
            _print_figures(chosen, figures, language)


def _figures(game: Game) -> Iterator[tuple[str, float]]:
    from tablee.simulation import measuring

    setup = game.setup()
    yield "one_core", measuring.compiled_on_one_core(game, setup, BENCH_SECONDS)
    yield "all_cores", measuring.compiled_on_all_cores(game, setup, BENCH_SECONDS)
    yield "kernels", measuring.kernels_from_python(game, setup, BENCH_SECONDS)
    yield "match", measuring.match_from_python(game, setup, BENCH_SECONDS)


def _print_figures(game: Game, figures: dict[str, float], language: str) -> None:
    from tablee.simulation.running import usable_threads
    from tablee.terminal.printing import print_table

    words = common(language)
    rows = [[words.say(f"bench.{name}", threads=usable_threads()), f"{rate:,.0f}"] for name, rate in figures.items()]
    title = f"{_title(game, language)} ({game.setup()})"
    print_table([words.say("bench.figure"), words.say("bench.rate")], rows, title)


@app.command(
    epilog=_examples(
        "tablee arena GAME --bots expert,club,greedy,random --deals 500",
        "tablee arena GAME --bots club,mine --outside 'mine=python3 my_bot.py' --into FOLDER",
        "tablee arena GAME --bots expert,club --seats 2 --on ray",
    )
)
def arena(
    game: GameName,
    *,
    language: Language,
    bots: Annotated[str, typer.Option(metavar="NAME,…", help="Who plays; from strongest to weakest, you think.")],
    seats: Seats = None,
    deals: Annotated[int, typer.Option(min=2, help="How many at most; each is played from every seat.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same games.")] = 1,
    option: Options = None,
    outside: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=COMMAND", help="A bot in any language (docs/bots.md); may be repeated."),
    ] = None,
    into: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where everything is kept.")] = None,
    edge: Annotated[
        float, typer.Option(min=0.005, max=0.4, help="A difference that matters, as a share of meetings.")
    ] = 0.05,
    every_deal: Annotated[bool, typer.Option("--every-deal", help="Do not stop when all is settled.")] = False,
    count: Annotated[int | None, typer.Option("--processes", min=1, help="All cores if left out.")] = None,
    where: Annotated[Place, typer.Option("--on", help="Processes of this machine, or a Ray cluster.")] = Place.HERE,
    address: Annotated[str | None, typer.Option(help="Of a Ray cluster; else one is started here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let bots play each other on duplicate deals, and rate them; the same command goes on after an interruption."""
    from tablee.arena.contest import Contest
    from tablee.arena.holding import Holding, demand_playable
    from tablee.arena.journal import Journal
    from tablee.arena.lineups import balanced
    from tablee.arena.running import processes, ray_cluster
    from tablee.bots.roster import outside_bots
    from tablee.simulation.running import usable_threads
    from tablee.terminal.printing import progress_bar

    chosen = find_game(game)
    setup = _setup(chosen, seats, option)
    names = [name.strip() for name in bots.split(",")]
    contest = Contest("arena", chosen, setup, balanced(names, setup.seats), seed, outside_bots(names, outside or ()))
    demand_playable(contest)
    _warm(chosen, "tablee.arena.running", "CONTESTING", language)
    folder = into or Path(f"arena-{chosen.name}-{setup.seats}-seed{seed}")
    workers = count or usable_threads()
    pool = processes(workers) if where is Place.HERE else ray_cluster(address, workers)
    with Journal(folder / "games.jsonl", contest) as journal:
        holding = Holding(contest, journal, deals, None if every_deal else edge)
        label = common(language).say("arena.playing", title=_title(chosen, language))
        try:
            with pool as players, progress_bar(label) as progress:
                holding.run(players, 2 * workers, progress)
        except KeyboardInterrupt:
            print(common(language).say("arena.interrupted", path=folder), file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
        _report_arena(holding, folder, language, as_json)


def _report_arena(holding: Holding, folder: Path, language: str, as_json: bool) -> None:
    """Rate what was played; print it, and write the page and the figures."""
    from tablee.arena import report
    from tablee.arena.holding import results_as_dict
    from tablee.arena.ratings import ratings
    from tablee.terminal.printing import print_table

    rated = ratings(holding.contest.bots, holding.counted)
    figures = json.dumps(results_as_dict(holding, rated), ensure_ascii=False, indent=2)
    (folder / "results.json").write_text(figures + "\n", encoding="utf-8")
    (folder / "report.html").write_text(report.page(holding, rated, language), encoding="utf-8")
    if as_json:
        print(figures)
    else:
        rows = report.bot_rows(holding.standings(), rated)
        print_table(report.bot_heads(language), rows, report.heading(holding, language))
        print("\n".join(report.sentences(holding, language)))
    print(common(language).say("arena.kept", path=folder), file=sys.stderr)


# Saved games


@app.command(
    epilog=_examples("tablee replay FILE", "tablee replay FILE --seat 0 --lang fr", "tablee replay FILE --open")
)
def replay(
    file: RecordFile,
    language: Language,
    seat: Annotated[int | None, typer.Option(min=0, help="As this seat saw it, counted from 0.")] = None,
    is_open: Annotated[bool, typer.Option("--open", help="Each move as its player saw it.")] = False,
    plain: Plain = False,
    trust_start: TrustStart = False,
) -> None:
    """Look at a saved game move by move, as a spectator saw it unless you say otherwise."""
    if is_open and seat is not None:
        raise typer.BadParameter("--seat and --open exclude each other")
    if not _is_plain(plain):
        from tablee.terminal import replay_screen, starting

        seen_by = replay_screen.OPEN if is_open else replay_screen.SPECTATOR if seat is None else seat
        _run(starting.replayed(file, language, seen_by, trust_start=trust_start))
    from tablee.terminal.story import story

    match = _loaded(file, language).replay(trust_start=trust_start)
    if seat is not None and seat >= match.seats:
        raise BadSetup(f"there is no seat {seat} at a table of {match.seats}; the first is 0")
    viewer = None if is_open else -1 if seat is None else seat
    for line in story(match, viewer, language):
        print(line)


def _loaded(file: Path, language: str) -> Record:
    """Read a record, and compile what replaying it takes."""
    from tablee.core.warming import without_scipy

    with without_scipy():
        from tablee.records import Record

    record = Record.load(file)
    _warm(find_game(record.header.game), "tablee.core.warming", "PLAYING", language)
    return record


@app.command(epilog=_examples("tablee verify FILE", "tablee verify FILE && echo in order"))
def verify(
    file: RecordFile,
    language: Language,
    commitment: Annotated[str | None, typer.Option(help="The hash that was shown before the game.")] = None,
    trust_start: TrustStart = False,
) -> None:
    """Check a saved game: its seal, its deal, every move, the digests on the way and the result."""
    words = common(language)
    try:
        record = _loaded(file, language)
        checked = record.verify(shown=commitment, trust_start=trust_start)
    except BadRecord as why:
        print(words.say("verify.wrong", path=file, why=why))
        raise typer.Exit(NOT_SO) from None
    title = _title(find_game(record.header.game), language)
    print(words.say("verify.right", path=file, title=title, n=checked.moves))


# Tables for everybody


Database = Annotated[
    str,
    typer.Option(envvar="TABLEE_DATABASE", metavar="FILE|URL", help="A SQLite file, or postgresql://… for PostgreSQL."),
]


@app.command(
    epilog=_examples(
        "tablee serve",
        "tablee serve --host 0.0.0.0",
        "tablee serve --workers 4 --database postgresql://tablee@db/tablee",
    )
)
def serve(
    *,
    language: Language,
    host: Annotated[str, typer.Option(help="0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65_535)] = 8000,
    database: Database = "tablee.db",
    address: Annotated[str, typer.Option(envvar="TABLEE_ADDRESS", help="Where people reach it, behind a proxy.")] = "",
    workers: Annotated[int, typer.Option(min=1, help="Processes; more than one need PostgreSQL.")] = 1,
) -> None:
    """Serve tables to browsers: people and bots, everything is kept in the database."""
    try:
        from tablee.server import serving, warming
        from tablee.server.settings import Settings
    except ModuleNotFoundError as missing:
        raise BadSetup(f"serving needs {missing.name}, which comes with the extra `tablee[server]`") from None

    words = common(language)
    settings = replace(Settings.from_environment(), database=database, address=address)
    serving.check(settings, host, port, workers)
    shown = "127.0.0.1" if host == "0.0.0.0" else host
    print(words.say("serve.open", url=address or f"http://{shown}:{port}/"), flush=True)
    preparing = None
    if not all(warming.is_ready(game) for game in all_games()):
        print(words.say("serve.preparing"), flush=True)
        preparing = subprocess.Popen([sys.executable, "-m", "tablee", "prepare", "--lang", language])
    try:
        serving.serve(settings, host, port, workers)
    finally:
        if preparing is not None:
            preparing.terminate()
            preparing.wait()


@app.command(epilog=_examples("tablee prepare"))
def prepare(language: Language) -> None:
    """Compile the games and their bots ahead of the first `tablee serve`, which otherwise does so beside playing."""
    words = common(language)
    with suppress(OSError):
        os.nice(5)  # whoever plays meanwhile comes first
    for game in _usable_games(language)[0]:
        try:
            _warm(game, "tablee.server.warming", "SERVING", language)
        except TableeError as why:
            print(words.say("games.broken", name=game.name, why=why), file=sys.stderr)
    print(words.say("serve.prepared"), flush=True)


@app.command(epilog=_examples("tablee backup FILE", "tablee backup FILE --database postgresql://tablee@db/tablee"))
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    language: Language,
    database: Database = "tablee.db",
) -> None:
    """Write all tables into one file, also while a server runs."""
    from tablee.storage.copying import back_up

    print(common(language).say("serve.backed_up", n=back_up(database, file), path=file))


@app.command(epilog=_examples("tablee restore FILE", "tablee restore FILE --database postgresql://tablee@db/tablee"))
def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")], language: Language, database: Database = "tablee.db"
) -> None:
    """Fill an empty database from a backup; it may be of the other kind."""
    from tablee.storage import copying

    print(common(language).say("serve.restored", n=copying.restore(file, database), path=file))


@app.command(epilog=_examples("tablee export FOLDER", "tablee export games.jsonl"))
def export(
    into: Annotated[Path, typer.Argument(help="A folder for records, or a file .jsonl for one line per game.")],
    language: Language,
    database: Database = "tablee.db",
) -> None:
    """Write the finished games, for study."""
    from tablee.storage import exporting
    from tablee.storage.store import Store

    store = Store(database)
    store.open()
    if into.suffix == ".jsonl":
        with into.open("x", encoding="utf-8") as stream:
            count = exporting.export_lines(store, stream)
    else:
        count = exporting.export_records(store, into)
    store.close()
    print(common(language).say("serve.exported", n=count, path=into))


# Make a game


@app.command("new-game", epilog=_examples("tablee new-game GAME", "tablee new-game GAME --into FOLDER"))
def new_game(
    name: Annotated[str, typer.Argument(help="Lower case letters, digits and underscores.")],
    language: Language,
    into: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where its folder is put.")] = None,
) -> None:
    """Write the folder of a new game that fulfils the contract, to start from."""
    from tablee.testing.template import make_game

    parent = into or _games_folder()
    folder = make_game(name, parent)
    words = common(language)
    print(words.say("new_game.made", name=name, path=folder))
    if into is not None:
        print(words.say("new_game.elsewhere", parent=parent.resolve()))


def _games_folder() -> Path:
    """Return the folder of our own games, if this is a checkout that can be written to."""
    import tablee.games

    folder = Path(tablee.games.__path__[0])
    is_checkout = (folder.parents[2] / "pyproject.toml").is_file()
    if not is_checkout or not os.access(folder, os.W_OK):
        raise TableeError("say where to put the game with --into FOLDER, and name that folder in TABLEE_GAMES")
    return folder


@app.command(epilog=_examples("tablee check", "tablee check GAME"))
def check(language: Language, game: AnyGameName = None) -> None:
    """Check that a game fulfils the contract (docs/contract.md); every breach is named."""
    words = common(language)
    broken = scan().broken if game is None else {}
    for name, why in broken.items():
        print(words.say("games.broken", name=name, why=why), file=sys.stderr)
    conforming = [_conforms(chosen, language) for chosen in ([find_game(game)] if game else all_games())]
    raise typer.Exit(0 if all(conforming) and not broken else NOT_SO)


def _conforms(game: Game, language: str) -> bool:
    """Run every check and say what it finds."""
    from tablee.terminal.printing import progress_bar
    from tablee.testing.conformance import CHECKS
    from tablee.testing.nonconformity import Nonconformity

    words = common(language)
    breaches = []
    with progress_bar(words.say("check.running", title=game.name)) as progress:
        for done, demand in enumerate(CHECKS):
            progress(done, len(CHECKS))
            try:
                demand.run(game)
            except Nonconformity as found:
                breaches.append(found)
    for breach in breaches:
        print(words.say("check.wrong", title=game.name, why=breach))
    if not breaches:
        print(words.say("check.right", title=game.name, n=len(CHECKS)))
    return not breaches
