"""Commands for authors of games: `new-game` and `check`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.cli.shared import CHECK_FAILED, Language, app, examples, find_game_or_folder, game_names
from tablee.core.errors import BadSetup, TableeError, did_you_mean
from tablee.core.registry import all_games, scan
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.core.game import Game, Setup
    from tablee.testing import Budget, Check, Nonconformity


@app.command("new-game", epilog=examples("tablee new-game GAME", "tablee new-game GAME --into FOLDER"))
def new_game(
    name: Annotated[str, typer.Argument(help="The new game's name: lower case letters, digits and underscores.")],
    language: Language,
    into: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The parent folder; default: the games of this checkout.")
    ] = None,
) -> None:
    """Create a new game from the template; it conforms to the contract."""
    from tablee.testing.template import make_game

    folder = make_game(name, into or _games_folder())
    words = common(language)
    if into is None:
        print(words.say("new_game.made", path=folder, game=name))
    else:
        print(words.say("new_game.made", path=folder, game=folder))
        print(words.say("new_game.elsewhere", parent=into.resolve(), name=name))


def _games_folder() -> Path:
    """Return the folder of the built-in games if this is a writable checkout; else raise TableeError."""
    import tablee.games

    folder = Path(tablee.games.__path__[0])
    is_checkout = (folder.parents[2] / "pyproject.toml").is_file()
    if not is_checkout or not os.access(folder, os.W_OK):
        raise TableeError("this is not a writable checkout: choose a folder with --into FOLDER")
    return folder


@app.command(
    epilog=examples(
        "tablee check",
        "tablee check GAME --thorough",
        "tablee check FOLDER --watch",
        'tablee check GAME --only nothing_leaks --seed 7 --setup "seats=3"',
    )
)
def check(
    *,
    language: Language,
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME|FOLDER", autocompletion=game_names, help="A game's name, or its folder; default: all games."
        ),
    ] = None,
    brief: Annotated[bool, typer.Option("--brief", help="Try little: seconds.")] = False,
    thorough: Annotated[bool, typer.Option("--thorough", help="Try several times as much as usual.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="CHECK", help="Run this check alone; may be repeated.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Play other random games than usual.")] = None,
    setup: Annotated[
        str | None, typer.Option(metavar='"seats=3 NAME=VALUE"', help="Try this setup alone; default: many.")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again on each save: interpreted first, then compiled.")
    ] = False,
) -> None:
    """Check that games conform to the contract (docs/contract.md); print every violation.

    How much is tried depends on the budget: --brief, the usual one, or --thorough. With interpreted kernels
    (NUMBA_DISABLE_JIT=1) it is --brief unless you say otherwise.
    """
    if brief and thorough:
        raise BadSetup("--brief and --thorough exclude each other")
    if game is None and (setup is not None or watch):
        raise BadSetup("--setup and --watch need a game: tablee check GAME …")
    if game is not None and watch:
        from tablee.cli.check_watch import watch_game

        flags = ["--lang", language, *(["--thorough"] if thorough else [])]
        flags += [part for name in only or () for part in ("--only", name)]
        flags += ["--seed", str(seed)] if seed is not None else []
        flags += ["--setup", setup] if setup is not None else []
        watch_game(game, flags, language, is_brief=brief)

    checks = _chosen_checks(only or [])
    broken = scan().broken if game is None else {}
    for name, why in broken.items():
        print(common(language).say("games.broken", name=name, why=why), file=sys.stderr)
    conforming = [
        _conforms(chosen, game or chosen.name, checks, _budget(chosen, brief, thorough, seed, setup), language)
        for chosen in ([find_game_or_folder(game)] if game else all_games())
    ]
    raise typer.Exit(0 if all(conforming) and not broken else CHECK_FAILED)


def _chosen_checks(names: list[str]) -> list[Check]:
    """Return the checks of these names, all without names; raise BadSetup for an unknown one."""
    from tablee.testing import CHECKS

    known = {check.name: check for check in CHECKS}
    for name in names:
        if name not in known:
            raise BadSetup(f"there is no check {name!r}; {did_you_mean(name, known)}")
    return [check for check in CHECKS if check.name in names or not names]


def _budget(game: Game, brief: bool, thorough: bool, seed: int | None, setup: str | None) -> Budget:
    """Return the budget given by command-line options."""
    from tablee.testing.budget import BRIEF, THOROUGH, usual_budget

    budget = BRIEF if brief else THOROUGH if thorough else usual_budget()
    wanted = _parse_setup(game, setup) if setup is not None else None
    return replace(budget, seed=budget.seed if seed is None else seed, setup=wanted)


def _parse_setup(game: Game, text: str) -> Setup:
    """Read a setup as it is printed, `seats=3 name=value`; raise BadSetup."""
    parts = dict(part.partition("=")[::2] for part in text.split())
    seats, reduction = parts.pop("seats", None), parts.pop("reduction", "")
    if seats is not None and not seats.isdecimal():
        raise BadSetup(f"--setup: 'seats' is a number, not {seats!r}")
    options = game.parse_options(f"{name}={value}" for name, value in parts.items())
    return game.setup(None if seats is None else int(seats), options, reduction)


def _conforms(game: Game, argument: str, checks: list[Check], budget: Budget, language: str) -> bool:
    """Run checks on a game, print the violations and what was tried; return whether there is no violation.

    `argument` is what the game was called by, its name or folder.
    """
    from tablee.terminal.output import progress_bar
    from tablee.testing import Nonconformity
    from tablee.testing.nonconformity import raised_by_game

    words = common(language)
    try:
        game.kernels  # noqa: B018
    except Exception as error:  # a third-party module may raise anything
        print(raised_by_game(game, error))
        print(words.say("check.not_loaded", title=game.name))
        return False
    violations = []
    with progress_bar(words.say("check.running", title=game.name)) as progress:
        for done, requirement in enumerate(checks):
            progress(done, len(checks), requirement.name)
            try:
                requirement.run(game, budget)
            except Nonconformity as found:
                violations.append(found)
    distinct = _without_repeated_exceptions(violations)
    for violation, others in distinct:
        print(violation)
        print("  " + violation.command.replace(f"tablee check {game.name}", f"tablee check {argument}"))
        if others:
            print("  " + words.say("check.same_exception", n=others))
    print(_verdict(game, checks, budget, len(distinct), language))
    return not violations


def _without_repeated_exceptions(violations: list[Nonconformity]) -> list[tuple[Nonconformity, int]]:
    """Return each violation with the number of later ones that are the same exception: most checks play games."""
    groups: dict[object, list[Nonconformity]] = {}
    for number, violation in enumerate(violations):
        key = (violation.what, violation.location) if violation.location else number
        groups.setdefault(key, []).append(violation)
    return [(first, len(others)) for first, *others in groups.values()]


def _verdict(game: Game, checks: list[Check], budget: Budget, violations: int, language: str) -> str:
    """Return the sentence at the end of a check: the result, the budget, and how much was tried."""
    from tablee.core.compilation import is_interpreted
    from tablee.testing import CHECKS

    words, tried = common(language), budget.tried
    is_whole = len(checks) == len(CHECKS) and budget.setup is None
    is_full = is_whole and not is_interpreted() and budget.name != "brief"
    result = "violations" if violations else "right" if is_full else "partly_right"
    mode = "interpreted" if is_interpreted() else "compiled"
    amount = words.say(
        "check.tried",
        budget=words.say(f"check.budgets.{budget.name}"),
        mode=words.say(f"check.modes.{mode}"),
        checks=len(checks),
        all=len(CHECKS),
        seed=budget.seed,
        setups=f"{len(tried.setups):,}",
        games=f"{tried.games:,}",
        positions=f"{tried.positions:,}",
        worlds=f"{tried.worlds:,}",
    )
    return f"{words.say(f'check.{result}', title=game.name, n=violations)}\n  {amount}"
