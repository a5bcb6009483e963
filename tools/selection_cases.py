"""Write tests/fixtures/selection.json: selections of moves that browser and terminal must treat alike.

`python tools/selection_cases.py`. The cases are small views written by hand, and positions of every game in which
random targets are selected one after the other.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tablee import Match, all_games
from tablee.core.view import Choice, Piece, View, Zone
from tablee.terminal.selection import Selection, select

FIXTURE = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "selection.json"
POSITIONS_PER_GAME = 3
MAX_MOVES = 60  # before a position
MAX_CHOICES = 30  # of a position, to keep the file small
SELECTIONS = 8  # of a position
MAX_ATTEMPTS = 200  # to find a position

HAND = Zone("hand", "fan", "Hand", tuple(Piece(f"hand.{name}", name) for name in "abc"))
GRID = Zone("grid", "grid", "Grid", tuple(Piece(f"grid.{name}", name) for name in "ab"))
PILE = Zone("pile", "stack", "Pile", (Piece("pile.top", "top"),))


def choice(text: str, *targets: str) -> Choice:
    """Return a choice with these targets."""
    return Choice(0, text, text, targets)


def view_of(*choices: Choice) -> View:
    """Return a view with a hand, a grid, a pile and these choices."""
    return View("", 0, 2, 0, "", (HAND, GRID, PILE), (0, 0), choices)


WRITTEN: list[tuple[str, View, list[str]]] = [
    (
        "cards of one hand in any order",
        view_of(choice("a", "hand.a"), choice("ab", "hand.a", "hand.b"), choice("bc", "hand.b", "hand.c")),
        ["hand.b", "hand.a", "hand.c", "hand.c"],
    ),
    (
        "a card and then its destination",
        view_of(choice("a to grid.a", "hand.a", "grid.a"), choice("a to pile", "hand.a", "pile")),
        ["grid.a", "hand.a", "pile.top"],
    ),
    (
        "a piece stands for its zone",
        view_of(choice("draw", "pile"), choice("turn up a", "grid.a")),
        ["pile.top", "grid.b", "grid.a"],
    ),
    (
        "selecting again deselects, selecting elsewhere starts over",
        view_of(choice("ab", "hand.a", "hand.b"), choice("grid.a to pile", "grid.a", "pile")),
        ["hand.a", "hand.a", "hand.a", "grid.a", "hand.b", "hand.c"],
    ),
    ("a choice without targets", view_of(choice("pass"), choice("turn up a", "grid.a")), ["grid.a", "unknown"]),
    ("no choices", view_of(), ["hand.a"]),
]


def main() -> None:
    """Write the fixture."""
    cases = [case(name, view, ids) for name, view, ids in WRITTEN]
    for game in all_games():
        cases += [case(name, view, ids) for name, view, ids in positions(game.name)]
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in cases)
    FIXTURE.parent.mkdir(exist_ok=True)
    FIXTURE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def positions(game: str) -> Iterator[tuple[str, View, list[str]]]:
    """Yield positions of a game with ids to select, by fixed seeds."""
    found = 0
    for seed in range(MAX_ATTEMPTS):
        draw = random.Random(seed)
        match = Match(game, seed=seed)
        for _ in range(draw.randrange(MAX_MOVES)):
            if not match.is_over:
                match.play(draw.choice(match.legal_moves()))
        view = match.view(max(match.to_move, 0))
        if not 1 < len(view.choices) <= MAX_CHOICES:
            continue
        ids = [piece.id for zone in view.zones for piece in zone.pieces] + [zone.id for zone in view.zones]
        targets = [target for each in view.choices for target in each.targets]
        yield f"{game} {seed}", view, [draw.choice(draw.choice([ids, targets]) or ids) for _ in range(SELECTIONS)]
        found += 1
        if found == POSITIONS_PER_GAME:
            return


def case(name: str, view: View, ids: list[str]) -> dict[str, Any]:
    """Return a case: what matters of the view, and the selection after each id."""
    selected: tuple[str, ...] = ()
    steps = []
    for identity in ids:
        selection = select(view, selected, identity)
        steps.append({"id": identity, "selection": None if selection is None else plain(selection)})
        selected = selected if selection is None else selection.selected
    return {
        "name": name,
        "zones": [
            {"id": zone.id, "kind": zone.kind, "pieces": [{"id": piece.id} for piece in zone.pieces]}
            for zone in view.zones
        ],
        "choices": [{"text": each.text, "targets": each.targets} for each in view.choices],
        "steps": steps,
    }


def plain(selection: Selection) -> dict[str, Any]:
    """Return a selection as plain values."""
    return {
        "selected": selection.selected,
        "next": sorted(selection.next),
        "complete": [each.text for each in selection.complete],
        "decided": selection.decided.text if selection.decided else None,
    }


if __name__ == "__main__":
    main()
