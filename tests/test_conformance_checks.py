"""Each check of the conformance suite finds what it checks: a game broken in one way fails exactly one check.

The broken games ("toys") are copies of the template with a line or two changed. They run interpreted in one subprocess;
the one that differs between interpreted and compiled kernels runs in another.
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
COUNT_ROUNDS = "    return state.played_count // state.seats\n"  # of `finished_rounds`
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


# A guided round of the smallest toys, in which the coach miscounts.
LESSON = """
seats = 2
seed = 1

[[step]]
name = "hand"
text.en = "You have three cards."
text.fr = "Vous avez trois cartes."
claims = {seat0 = 3}
"""

# A puzzle of the smallest toys, which values a move that is not legal.
PUZZLES = (
    '{"game":"toy_NAME","version":1,"bot":"expert 2","seed":1,"worlds":240,"format":1}\n'
    '{"seats":2,"seed":1,"stream":0,"moves":"","digest":"f3c43ed5dd80b9bb","values":[["play 8",600],["play 1",500]],'
    '"greedy":"play 1","level":"club","rating":1200}\n'
)


def puzzles_of(name, legal_move="play 1"):
    """Return the changes that add a puzzle to a toy."""
    return {"puzzles.jsonl": [("", PUZZLES.replace("NAME", name).replace("play 1", legal_move))]}


def policy_with(old, new):
    """Return the changes that add a policy in which one line is replaced."""
    assert old in POLICY
    return {"policy.py": [("", POLICY.replace(old, new))]}


BROKEN = {
    "manifest_is_light": {"__init__.py": [("from tablee.core.game", "import numpy\nfrom tablee.core.game")]},
    "rulebooks_agree": {"rules.fr.md": [("**R4.**", "R4.")]},
    "clauses_have_tests": {"tests/test_rules.py": [("def test_r4_the_lowest", "def test_the_lowest")]},
    "tests_are_own": {"rules.en.md": [("The rest stays face down.", "The rest stays face down on the table.")]},
    "words_agree": {"words/fr.toml": [("carte {card}", "carte")]},
    "texts_are_reversible": {
        "__init__.py": [("moves=20", "moves=21")],
        "moves.py": [('return f"play {card_of(move)}"', 'return f"play {min(card_of(move), CARDS)}"')],
    },
    "parsing_is_lenient": {"moves.py": [("text.lower().split()", "text.split()")]},
    "typed_moves_are_understood": {"words/fr.toml": [('play = "jouer"', 'play = "7"')]},
    "refusals_have_words": {"rules.py": [('GAME_OVER = "R5"', 'GAME_OVER = "R9"')]},
    "codes_are_declared": {
        "state.py": [
            ("from tablee.core.codes import ProblemFlag\n", "from enum import IntEnum\n"),
            ("class Problem(ProblemFlag):", "class Problem(IntEnum):"),
            ('"a card is not in exactly one position"', "1"),
            ('"a hand is not in order"', "2"),
            ('"`to_move` does not fit `end_reason`"', "4"),
        ]
    },
    "deals_are_reproducible": {
        # Every second deal of the first stream is different.
        "rules.py": [
            ("# Setting up (R1)\n", "DEALS = []\n"),
            (
                "    left = CARDS\n",
                "    left = CARDS\n    if state.generator.stream == 1:\n        DEALS.append(left)\n"
                f"        if len(DEALS) % 2 == 0:\n            {SWAP_STOCK}\n",
            ),
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
    "queries_change_nothing": {"sight.py": [("    return True\n", f"    {SWAP_STOCK}\n    return True\n")]},
    "random_play_ends": {"__init__.py": [("max_game_length=16", "max_game_length=3")]},
    "invariants_hold": {
        # Only in states whose generator was used, which are neither disguised nor imagined.
        "state.py": [("    return bits\n", "    return bits | (8 if state.generator.counter > 0 else 0)\n")]
    },
    "moves_are_in_order": {"rules.py": [("out[index] = state.hands", "out[count - 1 - index] = state.hands")]},
    "random_moves_are_listed": {
        "rules.py": [
            (
                "@kernel\ndef refusal(",
                "@kernel\ndef random_move(state, generator, memory):\n"
                "    below(generator, 2)\n    return legal_moves(state, memory) * 0 + int(memory[0])\n\n\n"
                "@kernel\ndef refusal(",
            ),
            ("from tablee.core.randomness import shuffle", "from tablee.core.randomness import below, shuffle"),
        ]
    },
    "refusals_agree": {
        "rules.py": [("    return Refusal.NOT_IN_HAND\n", "    return 0 if move == 0 else Refusal.NOT_IN_HAND\n")]
    },
    "turns_fit": {
        "rules.py": [("        state.to_move = NOBODY\n", "")],
        "state.py": [("        bits |= Problem.WRONG_TURN\n", "        pass\n")],
    },
    "scores_are_in_bounds": {"__init__.py": [("score_bounds=(0, 4)", "score_bounds=(0, 0)")]},
    "ranks_follow_scores": {"__init__.py": [("fewest_points_win=False", "fewest_points_win=True")]},
    "rounds_advance": {
        "rules.py": [(COUNT_ROUNDS, "    return 0 if state.played_count == 3 else state.played_count // state.seats\n")]
    },
    "scores_follow_rounds": {
        "rules.py": [(COUNT_ROUNDS, "    return state.played_count // state.seats if state.end_reason != 0 else 0\n")]
    },
    "rounds_are_public": {
        # One more in disguised states and imagined worlds, whose generators have not been used.
        "rules.py": [
            (
                COUNT_ROUNDS,
                "    is_fresh = state.viewer == -2 and state.generator.counter == 0\n"
                "    return state.played_count // state.seats + (1 if is_fresh else 0)\n",
            )
        ]
    },
    "ends_have_reasons": {"rules.py": [("    HANDS_EMPTY = 1\n", "    HANDS_EMPTY = 1\n    UNKNOWN_REASON = 2\n")]},
    "sights_are_complete": {
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
            ("    assert move is not None  # every move is public (R2)\n", ""),
            ("    mover = before.to_move\n", "    mover, move = before.to_move, 0 if move is None else move\n"),
        ],
    },
    "sights_show_known_moves": {
        # The first card of a trick is face down until the second is played, and yet told to all.
        "sight.py": [
            (
                "        out.played[index] = state.played[index]\n",
                "        is_secret = index == state.played_count - 1 and index % 2 == 0 and seat != state.leader\n"
                "        out.played[index] = UNKNOWN if is_secret else state.played[index]\n",
            ),
            ("is_seen[sight.played[index]]", "is_seen[max(sight.played[index], 0)]"),
            (
                "    used = 0\n",
                "    used = 0\n    for index in range(state.played_count):\n"
                "        if state.played[index] == UNKNOWN:\n"
                "            state.played[index] = cards[used]\n            used += 1\n",
            ),
            (
                "    reseed(state.generator, generator)\n    cards = np.zeros(CARDS, np.int8)\n    count = 0\n",
                "    reseed(state.generator, generator)\n    cards = np.zeros(CARDS, np.int8)\n    count = 0\n"
                "    if state.played_count % 2 == 1 and seat != state.leader:\n"
                "        cards[count] = state.played[state.played_count - 1]\n"
                "        state.played[state.played_count - 1] = UNKNOWN\n        count += 1\n",
            ),
            (
                "        out[AT_PLAYED + int(sight.played[index]) - 1] = 1.0\n",
                "        if sight.played[index] > NO_CARD:\n"
                "            out[AT_PLAYED + int(sight.played[index]) - 1] = 1.0\n",
            ),
        ]
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
    "imagined_worlds_fit": {"sight.py": [("    imagine_head(sight, generator)\n", "    sight.viewer = -2\n")]},
    "imagined_worlds_vary": {
        "sight.py": [
            (
                "    imagine_head(sight, generator)\n",
                "    imagine_head(sight, generator)\n"
                "    for word in range(8):\n        sight.generator.key[word] = 7\n",
            )
        ]
    },
    "imagined_worlds_are_exchangeable": {
        "sight.py": [
            (
                "    shuffle(generator, cards, count)\n    put_unseen(sight, cards)\n",
                "    shuffle(generator, cards, count // 2)\n    put_unseen(sight, cards)\n",
            )
        ]
    },
    "observations_are_complete": {
        "sight.py": [("    me = max(seat, 0)\n", "    out[0] = np.nan\n    me = max(seat, 0)\n")]
    },
    "options_are_observed": {
        "__init__.py": [('Option("low_wins", False, (False,)', 'Option("low_wins", False')],
        "sight.py": [("    out[AT_LOW_WINS] = sight.options[LOW_WINS]\n", "")],
    },
    "move_features_are_distinct": {
        "moves.py": [
            ("from tablee.core.errors", "from tablee.core.observation import Layout\nfrom tablee.core.errors"),
            (
                "_numbers = {",
                'MOVE_FEATURES = Layout(("card", 1, "its number / 20, cards 19 and 20 alike"))\n\n\n'
                "def move_features(move, out):\n    out[0] = min(move + 1, 19) / 20\n\n\n_numbers = {",
            ),
        ]
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
    "results_are_written_once": {
        "sight.py": [
            (
                "            out[AT_ON_TURN + relative] = 1.0\n",
                "            out[AT_ON_TURN + relative] = 0.5\n            out[AT_ON_TURN + relative] = 1.0\n",
            )
        ]
    },
    "ratings_use_only_the_sight": policy_with("= moves[index]", "= state.hands[1 - state.to_move, 0]"),
    "evaluations_are_in_bounds": policy_with("import evaluate_ranks as", "import ranks as"),
    "beliefs_are_probabilities": policy_with("return 0.5", "return 1.5"),
    "stages_end_alike": {
        "rules.py": [
            (
                "@kernel\ndef remove_from_hand(",
                "@kernel\ndef play_in_stage(state, move):\n    play(state, move)\n    state.played_count -= 1\n\n\n"
                "@kernel\ndef remove_from_hand(",
            )
        ]
    },
    "views_are_valid": {"view.py": [('"fan", words.say("zones.hand"', '"heap", words.say("zones.hand"')]},
    "ids_name_positions": {
        "view.py": [
            (
                '_card(f"seat{seat}.{index}", card, words)',
                '_card(f"seat{seat}.{card if card > 0 else -index}", card, words)',
            ),
            ('(f"seat{sight.seat}.{index}",)', '(f"seat{sight.seat}.{card_of(move)}",)'),
        ]
    },
    "round_views_are_valid": {"view.py": [("RoundScore(seat, int(seat == winner),", "RoundScore(seat, 1,")]},
    "moves_are_told": {"view.py": [("    return events\n", "    return []\n")]},
    "views_keep_secrets": {
        "sight.py": [
            ("    see_head(state, seat, out)\n", "    SEEN.append(state)\n    see_head(state, seat, out)\n"),
            ("OBSERVATION = ", "SEEN = []\nOBSERVATION = "),
        ],
        "view.py": [
            ("from .state import", "from .sight import SEEN\nfrom .state import"),
            (
                "prompt=_prompt(sight, words, names),",
                'prompt=f"{SEEN[-1].TOY_stock[0]} is in the stock",',
            ),
        ],
    },
    "round_views_keep_secrets": {
        "sight.py": [
            ("    see_head(state, seat, out)\n", "    SEEN.append(state)\n    see_head(state, seat, out)\n"),
            ("OBSERVATION = ", "SEEN = []\nOBSERVATION = "),
        ],
        "view.py": [
            ("from .state import", "from .sight import SEEN\nfrom .state import"),
            (
                'prompt=words.say("round.result", number=number, player=names[winner]),',
                'prompt=f"{SEEN[-1].TOY_stock[0]} was in the stock",',
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
    "lesson_is_true": {"lesson.toml": [("", LESSON)]},
    "puzzles_are_legal": puzzles_of("puzzles_are_legal"),
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

# Toys of which the brief budget, too, finds what is wrong; in all setups of the template.
BROKEN_BRIEFLY = {
    # Between the deal and the end of a game that is shorter than the strides of that budget
    "seen_once": {
        "sight.py": [
            (
                "= UNKNOWN if state.TOY_stock[index] != NO_CARD else NO_CARD",
                "= state.TOY_stock[index] if state.played_count == 1 or state.TOY_stock[index] == NO_CARD else UNKNOWN",
            )
        ]
    },
    "without_worlds": {"sight.py": [("UNKNOWN if state.TOY_stock[index] != NO_CARD else NO_CARD", "CARDS")]},
    "warning": {
        "rules.py": [("state.points[winner] += 1", "state.points[winner] += 1 + 0 // (state.played_count - 6)")]
    },
}

UNBROKEN = {
    "unchanged": {},
    "with_policy": policy_with("", ""),
    "with_lesson": {"lesson.toml": [("", LESSON.replace("seat0 = 3", "seat0 = 2"))]},
    "with_puzzles": puzzles_of("with_puzzles", legal_move="play 13"),
}

RUN_ALL = """
import json, sys
from tablee import all_games
from tablee.testing import Budget, failures
budget = Budget(
    all_combinations=False,
    games=1,
    usual_games=4,
    state_stride=1,
    sight_stride=1,
    usual_sight_stride=1,
    view_stride=1,
    usual_view_stride=1,
    state_moves=None,
    sight_moves=1000,
    view_moves=200,
    usual_pairs=120,
)
toys = [game for game in all_games() if game.name.startswith("toy_")]
print(json.dumps({toy.name: {found.check: str(found) for found in failures(toy, budget)} for toy in toys}))
"""
RUN_BRIEFLY = """
import json
from tablee import all_games
from tablee.testing import failures
from tablee.testing.budget import BRIEF, replace
toys = [game for game in all_games() if game.name.startswith("toy_")]
budget = replace(BRIEF, usual_pairs=20)
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


def make_toy(name, folder, changes, smaller=SMALLER):
    """Write a small copy of the template with some texts replaced, by file."""
    made = make_game(f"toy_{name}", folder)
    for file in {*smaller, *changes}:
        text = (made / file).read_text(encoding="utf-8") if (made / file).exists() else ""
        for old, new in smaller.get(file, []) + changes.get(file, []):
            old, new = (part.replace("TOY_", f"toy_{name}_") for part in (old, new))
            assert old in text, f"{name}: {file} has no {old!r}"
            text = text.replace(old, new)
        (made / file).write_text(text, encoding="utf-8")


def run(script, folder, **environment):
    """Run a script that finds the games of a folder; return what it prints."""
    environment = {**os.environ, "TABLEE_GAMES": str(folder), **environment}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What each check finds in each toy: {toy: {check: message}}."""
    folder = tmp_path_factory.mktemp("toys")
    for name, changes in {**UNBROKEN, **BROKEN}.items():
        make_toy(name, folder, changes)
    return json.loads(run(RUN_ALL, folder, NUMBA_DISABLE_JIT="1"))


@pytest.fixture(scope="module")
def found_briefly(tmp_path_factory):
    """What each check finds in each toy with the brief budget: {toy: {check: message}}."""
    folder = tmp_path_factory.mktemp("brief_toys")
    for name, changes in BROKEN_BRIEFLY.items():
        make_toy(name, folder, changes, smaller={})
    return json.loads(run(RUN_BRIEFLY, folder, NUMBA_DISABLE_JIT="1"))


def test_every_check_has_a_toy():
    assert list(BROKEN) == [check.name for check in CHECKS]


def test_unchanged_toys_pass(found):
    for name in UNBROKEN:
        assert found[f"toy_{name}"] == {}


@pytest.mark.parametrize("name", [name for name in BROKEN if name != "modes_agree"])
def test_a_broken_toy_fails_exactly_its_check(found, name):
    assert set(found[f"toy_{name}"]) == {name}, found[f"toy_{name}"]


def test_the_brief_budget_looks_between_deal_and_end_of_a_short_game(found_briefly):
    assert ", after move 1): `toy_seen_once_stock[0]` of the sight" in found_briefly["toy_seen_once"]["nothing_leaks"]


def test_worlds_that_cannot_be_compared_are_told_in_words(found_briefly):
    found = found_briefly["toy_without_worlds"]
    assert "an imagined world has problems: " in found["imagined_worlds_fit"]
    assert ": no worlds can be compared: they have problems, " in found["imagined_worlds_are_exchangeable"]


def test_warnings_of_numpy_are_violations_with_their_line(found_briefly):
    """Interpreted, NumPy warns of overflows and divisions by zero, and goes on with a wrong number."""
    found = found_briefly["toy_warning"]["invariants_hold"]
    assert ", after move 5): RuntimeWarning: divide by zero encountered" in found
    assert found.endswith(")")
    assert "(rules.py, line " in found


def test_a_difference_between_compiled_and_interpreted_kernels_is_found(found, tmp_path):
    assert found["toy_modes_agree"] == {}
    make_toy("modes_agree", tmp_path, BROKEN["modes_agree"])
    printed = run(RUN_MODES, tmp_path, NUMBA_DISABLE_JIT="0", TABLEE_CACHE=str(tmp_path / "cache"))
    assert printed.startswith("modes_agree: toy_modes_agree (seats=2 hand=2 low_wins=off, seed 2026, after move 0)")
