"""Positions in which `master` decides differently from `expert`, and what that gains; writes docs/positions.md.

    python benchmarks/positions.py find FOLDER [--games 4] [--game NAME ...] [--jobs 2]
    python benchmarks/positions.py report FOLDER

Experts play games with the usual setup. Where one was undecided (its second move has two fifths of the visits of its
first or more), `master` is asked too, and if it chooses another move, both are compared in the same imagined worlds
with the same random numbers, as in a review (`tablee.review.evaluation`). The first command writes a line of JSON per
game and continues where it was stopped; the second chooses five positions per game, and lets the browser draw them
(chromium and the packages of the tests): docs/pictures/positions.
"""

from __future__ import annotations

import argparse
import io
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import journals
from tablee.bots.bot import Candidate
from tablee.bots.master import MIN_VISITS
from tablee.bots.roster import find_kind, make_bot, pin
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.registry import all_games, find_game
from tablee.review.evaluation import Evaluator

Drawing: TypeAlias = Callable[[Match, int, Path], None]

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ROOT / "docs"
PAGE = DOCUMENTS / "positions.md"
PICTURES = DOCUMENTS / "pictures" / "positions"
SEED = 40
MAX_MOVES = 100  # of a game that are played
UNDECIDED = 0.4  # of the visits of the best move: the second has as many or more
WORLDS = 12_000  # in which two moves are compared
POSITIONS = 5  # per game, that are shown
MIN_NUMBERS = 5  # before their mean is written
MIN_DISTANCE = 4  # moves between two positions of one game
SIZE = {"width": 900, "height": 800}  # of the browser's window
COLOURS = 96  # of a picture: enough for flat shapes
SECONDS_TO_REST = 1.0  # until pieces have been lifted

# Draws a position on the board of a table, and points at what a move takes.
DRAW = """
async ([view, seats, points]) => {
  const { board } = document.querySelector("table-page");
  Object.assign(board, { events: [], seats, points, view });
  await board.updateComplete;
}
"""
INTRODUCTION = """# Where `master` decides differently

Written by `python benchmarks/positions.py report`; do not edit. Experts play each game with its usual setup; where
one is undecided, `master` is asked too. Two numbers compare its move with the expert's, both in percentage points:
what its own search expects, the difference of the mean results of the two moves, if it tried both in {visits}
worlds or more; and what a review says, in the same {worlds:,} imagined worlds for both moves, played on by the
game's policy to the end of the round: the share of the other players that one can expect to finish ahead of, with a
standard error. They differ where a plan needs better players than the policy, and in Xe Queo! and Lexio, where the
network knows more than the policy: in Lexio `master` also plays moves of which its search expects less. The
positions with the largest difference by the search are shown, so these numbers are the largest of many. A frame
marks what `master` plays; for a pass, what it leaves alone.
"""


def main() -> None:
    """Find or report."""
    parser = argparse.ArgumentParser(description="positions in which master decides differently from expert")
    parser.add_argument("command", choices=("find", "report"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--game", action="append", metavar="NAME", help="default: all; may be repeated")
    parser.add_argument("--games", type=int, default=4, help="to play, per game")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    arguments = parser.parse_args()
    games = [find_game(name) for name in arguments.game] if arguments.game else all_games()
    if arguments.command == "find":
        for game in games:
            keys = ((game.name, number) for number in range(arguments.games))
            journals.run_missing(path_of(arguments.folder, game), keys, find_positions, arguments.jobs)
    else:
        PICTURES.mkdir(parents=True, exist_ok=True)
        with drawing_browser() as draw:
            PAGE.write_text("\n".join(page(arguments.folder, games, draw)), encoding="utf-8")
        print(f"written: {PAGE}")


def path_of(folder: Path, game: Game) -> Path:
    """Return the journal of a game, for the exact searches."""
    searches = [f"{pinned.policy}-{pinned.budget}" for pinned in (pin("expert", game), pin("master", game))]
    return folder / f"{game.name}-{'-'.join(searches)}.jsonl"


# Find


def find_positions(name: str, number: int) -> dict[str, Any]:
    """Let experts play; return where `master` would play another move, and how long both think where both do."""
    game = find_game(name)
    match = Match(game, seed=SEED, stream=number)
    expert, master = make_bot("expert", game, number), make_bot("master", game, number)
    evaluator = Evaluator(game, find_kind("expert").settings(game))  # type: ignore[attr-defined]
    found, asked, seconds = [], 0, [0.0, 0.0]
    while not match.is_over and len(match.moves) < MAX_MOVES:
        sight, moves = match.sight(match.to_move), match.legal_moves()
        start = time.process_time()
        decision = expert.decide(sight, moves)
        middle = time.process_time()
        if is_undecided(decision.candidates):
            other = master.decide(sight, moves)
            asked += 1
            seconds[0] += middle - start
            seconds[1] += time.process_time() - middle
            best, better = decision.candidates[0].move, other.candidates[0].move
            if best != better:
                compared = evaluator.compare(sight, [best, better], WORLDS, new_generator(number, len(match.moves)))
                gain, error = (round(100 * float(part[1]), 3) for part in (compared.gains, compared.errors))
                moves_found = {"at": len(match.moves), "expert": best, "master": better}
                found.append({**moves_found, "gain": gain, "error": error, **search_gain(other.candidates, best)})
        match.push(decision.move)
    return {"moves": match.moves, "asked": asked, "seconds": seconds, "found": found}


def search_gain(candidates: Sequence[Candidate], move: int) -> dict[str, float | None]:
    """Return how much more a search expects of its first move than of another one, and how many worlds tried both.

    Of a move that it hardly tried it expects nothing.
    """
    first, other = candidates[0], next(each for each in candidates if each.move == move)
    gain = round(100 * (first.value - other.value), 3) if other.visits >= MIN_VISITS else None
    return {"expected": gain, "visits": first.visits + other.visits}


def is_undecided(candidates: Sequence[Candidate]) -> bool:
    """Whether a search visited its second move nearly as often as its first."""
    return len(candidates) > 1 and candidates[1].visits >= UNDECIDED * candidates[0].visits


# Report


def page(folder: Path, games: Sequence[Game], draw: Drawing) -> Iterator[str]:
    """Yield the lines of the page."""
    yield INTRODUCTION.format(worlds=WORLDS, visits=MIN_VISITS)
    played = {game: list(journals.read(path_of(folder, game))) for game in games}
    yield "| game | games begun | moves | expert undecided | other move | its search expects | a review says |"
    yield "|---|---|---|---|---|---|---|"
    for game, lines in played.items():
        yield summary(game, lines)
    for game, lines in played.items():
        yield f"\n## {game.words('en').say('title')}"
        chosen = choose(lines)
        if len(chosen) < POSITIONS:
            yield f"\nOnly {len(chosen)} found so far; more games find more."
        for number, (line, position) in enumerate(chosen, start=1):
            yield from shown(game, line, position, PICTURES / f"{game.name}-{number}.png", draw)
    yield ""


def summary(game: Game, lines: Sequence[dict[str, Any]]) -> str:
    """Return the row of a game."""
    found = [position for line in lines for position in line["found"]]
    asked, moves = sum(line["asked"] for line in lines), sum(len(line["moves"]) for line in lines)
    columns = [[position[name] for position in found] for name in ("expected", "gain")]
    means = [mean_text([number for number in numbers if number is not None]) for numbers in columns]
    cells = [game.words("en").say("title"), len(lines), moves, asked, len(found), *means]
    return f"| {' | '.join(map(str, cells))} |"


def mean_text(numbers: Sequence[float]) -> str:
    """Write a mean with its 95 % interval."""
    if len(numbers) < MIN_NUMBERS:
        return "too few"
    mean = sum(numbers) / len(numbers)
    error = math.sqrt(sum((each - mean) ** 2 for each in numbers) / (len(numbers) - 1) / len(numbers))
    return f"{mean:+.2f} ± {1.96 * error:.2f}"


def choose(lines: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the positions with the largest differences by the search, not next to one another."""
    found = [(line, each) for line in lines for each in line["found"] if each["expected"] is not None]
    chosen: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for line, each in sorted(found, key=lambda pair: -pair[1]["expected"]):
        is_far = all(line is not other or abs(each["at"] - own["at"]) >= MIN_DISTANCE for other, own in chosen)
        if is_far and len(chosen) < POSITIONS:
            chosen.append((line, each))
    return chosen


def shown(game: Game, line: dict[str, Any], position: dict[str, Any], path: Path, draw: Drawing) -> Iterator[str]:
    """Yield a sentence about a position, and a picture of what the player sees."""
    match = Match(game, seed=SEED, stream=line["key"][1])
    for move in line["moves"][: position["at"]]:
        match.push(move)
    draw(match, position["master"], path)
    expert, master = (match.text(position[bot]) for bot in ("expert", "master"))
    name = match.names("en")[match.to_move]
    yield (
        f"\n**Game {line['key'][1]}, move {position['at'] + 1}, {name}:** `expert` plays `{expert}`, "
        f"`master` `{master}`: its search expects {position['expected']:+.1f} in {position['visits']:,} worlds, "
        f"a review says {position['gain']:+.1f} ± {position['error']:.1f}.\n"
    )
    yield f"![What {name} sees, with a frame for: {master}]({path.relative_to(DOCUMENTS).as_posix()})"


@contextmanager
def drawing_browser() -> Iterator[Drawing]:
    """Yield a function (match, move, path) that saves a picture of what the player on turn sees, with a move marked."""
    sys.path.append(str(ROOT / "tests"))
    from PIL import Image
    from playwright.sync_api import sync_playwright

    from browser import CHROMIUM, Player, Server

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        player = Player(browser, server, "Ana", size=SIZE).with_name()
        table_of = ""

        def draw(match: Match, move: int, path: Path) -> None:
            nonlocal table_of
            if table_of != match.game.name:  # any table of the game will do
                table_of = match.game.name
                player.create_table(table_of, seats=match.seats, bots=["greedy"] * (match.seats - 1))
                player.wait("table.view?.choices.length && document.querySelector('.board')?.childElementCount")
            view, names = match.view(match.to_move), match.names("en")
            points = next(choice.targets for choice in view.choices if choice.move == move)
            seats = [
                {"seat": seat, "kind": "bot", "bot": "expert", "name": name, "is_you": seat == view.viewer}
                for seat, name in enumerate(names)
            ]
            player.page.evaluate(DRAW, [view.as_dict(), seats, list(points)])
            player.page.wait_for_timeout(1000 * SECONDS_TO_REST)
            picture = Image.open(io.BytesIO(player.page.locator(".board").screenshot()))
            picture.convert("RGB").quantize(COLOURS).save(path, optimize=True)

        yield draw
        player.close()
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
