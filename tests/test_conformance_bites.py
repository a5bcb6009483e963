"""Each check of the conformance suite bites: a toy game broken in just that way fails just that check.

The toys are copies of the template with a line or two changed. They run interpreted, in one process of their own; the
one that differs between interpreted and compiled kernels runs in another.
"""

import json
import os
import subprocess
import sys

import pytest

from tablee.testing import CHECKS
from tablee.testing.template import make_game

SMALLER = {  # one setup, so that all toys together take seconds
    "__init__.py": [
        ("seats=range(2, 5),\n    usual_seats=3", "seats=range(2, 3),\n    usual_seats=2"),
        ('Option("hand", 3, (2, 3, 4)', 'Option("hand", 2, (2,)'),
        ('Option("low_wins", False', 'Option("low_wins", False, (False,)'),
    ]
}
SWAP_STOCK = "state.TOY_stock[0], state.TOY_stock[1] = state.TOY_stock[1], state.TOY_stock[0]"

POLICY = """
from tablee.core.compilation import kernel
from tablee.core.kernels import evaluate_ranks as evaluate
from tablee.core.kernels import one_stage as stage

@kernel
def rate(state, moves, count, out):
    for index in range(count):
        out[index] = moves[index]

@kernel
def believe(state, viewer):
    return 0.5
"""


def policy_with(old, new):
    """Give a toy, which has no policy, one that is sound but for a line."""
    assert old in POLICY
    return {"policy.py": [("", POLICY.replace(old, new))]}


BROKEN = {
    "rulebooks_agree": {"rules.fr.md": [("**R4.**", "R4.")]},
    "words_agree": {"words/fr.toml": [("carte {card}", "carte")]},
    "texts_are_reversible": {
        "__init__.py": [("moves=20", "moves=21")],
        "moves.py": [('return f"play {card_of(move)}"', 'return f"play {min(card_of(move), CARDS)}"')],
    },
    "parsing_forgives": {"moves.py": [("text.lower().split()", "text.split()")]},
    "refusals_have_words": {"rules.py": [('("game_over", "R5")', '("game_over", "R9")')]},
    "deals_are_determined": {
        "rules.py": [
            ("import shuffle\n", "import below\n"),
            ("shuffle(state.generator, state.TOY_stock, CARDS)", "below(state.generator, 2)"),
        ]
    },
    "bytes_are_defined": {
        "rules.py": [("    state.played_count += 1\n", "    state.played_count += 1\n    state.padding[0] = 1\n")],
        "sight.py": [("    reseed(state.generator", "    state.padding[0] = 2\n    reseed(state.generator")],
    },
    "copies_are_independent": {
        "rules.py": [
            ("# A turn (R2)\n", "KEPT = []\n"),
            (
                "    remove_from_hand(state, state.to_move, move + 1)\n",
                "    remove_from_hand(state, state.to_move, move + 1)\n"
                "    KEPT.append(state)\n"
                "    if len(KEPT) > 1 and KEPT[-2] is not state and KEPT[-2].played_count == state.played_count:\n"
                f"        {SWAP_STOCK.replace('state', 'KEPT[-2]')}\n",
            ),
        ]
    },
    "questions_change_nothing": {"sight.py": [("    return True\n", f"    {SWAP_STOCK}\n    return True\n")]},
    "random_play_ends": {"__init__.py": [("max_game_length=16", "max_game_length=3")]},
    "nothing_is_broken": {
        # Only in a record whose chance was used, which is neither disguised nor imagined.
        "state.py": [("    return bits\n", "    return bits | (8 if state.generator.counter > 0 else 0)\n")]
    },
    "moves_are_in_order": {"rules.py": [("out[index] = state.hands", "out[count - 1 - index] = state.hands")]},
    "refusals_agree": {"rules.py": [("    return NOT_IN_HAND\n", "    return 0 if move == 0 else NOT_IN_HAND\n")]},
    "turns_fit": {
        "rules.py": [("        state.to_move = NOBODY\n", "")],
        "state.py": [("        bits |= 4\n", "        pass\n")],
    },
    "scores_are_in_bounds": {"__init__.py": [("score_bounds=(0, 4)", "score_bounds=(0, 0)")]},
    "ends_have_reasons": {
        "rules.py": [('REASONS = {1: "hands_empty"}', 'REASONS = {1: "hands_empty", 2: "unheard_of"}')]
    },
    "sights_are_whole": {
        "sight.py": [
            (
                "        out.played[index] = state",
                "        if state.played[index]:\n            out.played[index] = state",
            )
        ]
    },
    "movers_know_their_move": {
        "sight.py": [("    return True\n", "    return seat != state.to_move\n")],
        "view.py": [
            ("    assert move is not None  # every move is seen by all (R2)\n", ""),
            ("    mover = before.to_move\n", "    mover, move = before.to_move, 0 if move is None else move\n"),
        ],
    },
    "nothing_leaks": {
        "sight.py": [
            ("UNKNOWN if state.TOY_stock[index] != NO_CARD else", "UNKNOWN if index and state.TOY_stock[index] else"),
            ("else NO_CARD\n", "else state.TOY_stock[index]\n"),
            (
                "    count = 0\n    for card in",
                "    is_seen[sight.TOY_stock[0]] = True\n    count = 0\n    for card in",
            ),
        ]
    },
    "disguise_reaches_everything": {
        "sight.py": [
            (
                "        if state.TOY_stock[index] != NO_CARD:\n            cards[count]",
                "        if False:\n            cards[count]",
            )
        ]
    },
    "imagination_fits": {"sight.py": [("    imagine_head(sight, generator)\n", "    sight.viewer = -2\n")]},
    "observations_are_whole": {
        "sight.py": [("    me = max(seat, 0)\n", "    out[0] = np.nan\n    me = max(seat, 0)\n")]
    },
    "glimpses_fit": {
        "sight.py": [
            (
                "@kernel\ndef sees_move(",
                "@kernel\ndef glimpse(state, seat, out):\n    see(state, seat, out)\n    out.played_count = 0\n\n\n"
                "@kernel\ndef sees_move(",
            )
        ]
    },
    "ratings_are_honest": policy_with("= moves[index]", "= state.hands[1 - state.to_move, 0]"),
    "evaluations_are_in_bounds": policy_with("import evaluate_ranks as", "import ranks as"),
    "beliefs_are_chances": policy_with("return 0.5", "return 1.5"),
    "views_are_whole": {"view.py": [('"trick", "row"', '"trick", "heap"')]},
    "moves_are_told": {"view.py": [("    return events\n", "    return []\n")]},
    "views_keep_secrets": {
        "sight.py": [
            ("    see_head(state, seat, out)\n", "    SEEN.append(state)\n    see_head(state, seat, out)\n"),
            ("OBSERVATION = ", "SEEN = []\nOBSERVATION = "),
        ],
        "view.py": [
            ("from .state import", "from .sight import SEEN\nfrom .state import"),
            (
                "        scores=points,\n",
                '        scores=points,\n        facts={"stock": int(SEEN[-1].TOY_stock[0])},\n',
            ),
        ],
    },
    "events_keep_secrets": {
        "sight.py": [
            ("    see_head(state, seat, out)\n", "    SEEN.append(state)\n    see_head(state, seat, out)\n"),
            ("OBSERVATION = ", "SEEN = []\nOBSERVATION = "),
        ],
        "view.py": [
            ("from .state import", "from .sight import SEEN\nfrom .state import"),
            ('[Event("played", text,', '[Event(f"played {SEEN[-1].TOY_stock[0]}", text,'),
        ],
    },
    "records_replay": {
        "rules.py": [
            ("# A turn (R2)\n", "MOVES = []\n"),
            (
                "    state.played_count += 1\n",
                "    state.played_count += 1\n    MOVES.append(move)\n"
                f"    if len(MOVES) % 3 == 0:\n        {SWAP_STOCK}\n",
            ),
        ]
    },
    "modes_agree": {
        "rules.py": [
            (
                "from tablee.core.compilation import kernel\n",
                "from tablee.core.compilation import is_interpreted, kernel\n",
            ),
            ("# Setting up (R1)\n", "IS_INTERPRETED = is_interpreted()\n"),
            ("    left = CARDS\n", f"    left = CARDS\n    if IS_INTERPRETED:\n        {SWAP_STOCK}\n"),
        ]
    },
}

RUN_ALL = """
import json, sys
from tablee import all_games
from tablee.testing import Budget, failures
budget = Budget(
    all_combinations=False,
    games=1,
    usual_games=4,
    record_stride=1,
    stride=1,
    usual_stride=1,
    picture_stride=1,
    usual_picture_stride=1,
    walked=1000,
    played=None,
    moves=200,
)
toys = [game for game in all_games() if game.name.startswith("toy_")]
print(json.dumps({toy.name: {found.check: str(found) for found in failures(toy, budget)} for toy in toys}))
"""
RUN_MODES = """
import json
from tablee import find_game
from tablee.testing import CHECKS, Nonconformity
check = next(check for check in CHECKS if check.name == "modes_agree")
try:
    check.run(find_game("toy_modes_agree"))
except Nonconformity as found:
    print(found)
"""


def make_toy(name, folder, changes):
    made = make_game(f"toy_{name}", folder)
    for file in {*SMALLER, *changes}:
        text = (made / file).read_text(encoding="utf-8") if (made / file).exists() else ""
        for old, new in SMALLER.get(file, []) + changes.get(file, []):
            old, new = (part.replace("TOY_", f"toy_{name}_") for part in (old, new))
            assert old in text, f"{name}: {file} has no {old!r}"
            text = text.replace(old, new)
        (made / file).write_text(text, encoding="utf-8")


def run(script, folder, **environment):
    environment = {**os.environ, "TABLEE_GAMES": str(folder), **environment}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toys")
    for name, changes in {"sound": {}, "with_policy": policy_with("", ""), **BROKEN}.items():
        make_toy(name, folder, changes)
    return json.loads(run(RUN_ALL, folder, NUMBA_DISABLE_JIT="1"))


def test_every_check_has_its_toy():
    assert list(BROKEN) == [check.name for check in CHECKS]


def test_a_sound_toy_passes(found):
    assert found["toy_sound"] == {}
    assert found["toy_with_policy"] == {}


@pytest.mark.parametrize("name", [name for name in BROKEN if name != "modes_agree"])
def test_a_broken_toy_fails_just_its_check(found, name):
    assert set(found[f"toy_{name}"]) == {name}, found[f"toy_{name}"]


def test_a_difference_between_modes_is_found_and_nothing_else(found, tmp_path):
    assert found["toy_modes_agree"] == {}
    make_toy("modes_agree", tmp_path, BROKEN["modes_agree"])
    said = run(RUN_MODES, tmp_path, NUMBA_DISABLE_JIT="0", TABLEE_CACHE=str(tmp_path / "cache"))
    assert said.startswith("modes_agree: toy_modes_agree (seed 6, after move 0)")
