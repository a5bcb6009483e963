"""Faults of the game, each with the check of the conformance suite that finds it (docs/conformance.md)."""

from tablee.testing.seeded import SeededFault

IMAGINED = "            choose_at_random(sight, other, generator)\n"

FAULTS = (
    # rules.py
    SeededFault(
        "moves away from the ring are listed",
        "rules.py",
        "& free[pawn])) & fields_nearer(state, pawn)",
        "& free[pawn]))",
        "refusals_agree",
    ),
    SeededFault(
        "only the opponent's pawn may enter the ring",
        "rules.py",
        "return state.chosen[state.to_move] == pawn or",
        "return state.chosen[1 - state.to_move] == pawn or",
        "nothing_leaks",
    ),
    SeededFault(
        "a ring counts two", "rules.py", "state.rings[winner] += 1", "state.rings[winner] += 2", "invariants_hold"
    ),
    SeededFault(
        "the winner is on turn after the end",
        "rules.py",
        "        state.end_reason = EndReason.FOUR_RINGS\n        state.to_move = NOBODY\n",
        "        state.end_reason = EndReason.FOUR_RINGS\n",
        "turns_fit",
    ),
    SeededFault(
        "only rings of the first seat are rounds",
        "rules.py",
        "    return state.rounds_played\n",
        "    return state.rings[0]\n",
        "scores_follow_rounds",
    ),
    # sight.py
    SeededFault(
        "a secret choice is told",
        "sight.py",
        "return state.phase != CHOOSE or seat == state.to_move",
        "return True",
        "sights_show_known_moves",
    ),
    SeededFault(
        "nobody may know a choice",
        "sight.py",
        "return state.phase != CHOOSE or seat == state.to_move",
        "return state.phase != CHOOSE",
        "movers_know_their_move",
    ),
    SeededFault(
        "a disc is seen by the seat before it",
        "sight.py",
        "is_secret = other != seat and",
        "is_secret = other > seat and",
        "nothing_leaks",
    ),
    SeededFault(
        "rings are not written",
        "sight.py",
        "        out.rings[other] = state.rings[other]\n",
        "",
        "sights_are_complete",
    ),
    SeededFault(
        "everyone imagines the red pawn",
        "sight.py",
        IMAGINED,
        "            sight.chosen[other] = 0\n",
        "imagined_worlds_are_exchangeable",
    ),
    SeededFault(
        "nobody imagines the last pawn",
        "sight.py",
        IMAGINED,
        IMAGINED + "            if sight.chosen[other] == PAWNS - 1:\n                sight.chosen[other] = 0\n",
        "imagined_worlds_are_exchangeable",
        pairs=3000,
    ),
    SeededFault(
        "half of the imagined pawns are red",
        "sight.py",
        IMAGINED,
        IMAGINED + "            if below(generator, 2) == 0:\n                sight.chosen[other] = 0\n",
        "imagined_worlds_are_exchangeable",
        pairs=3000,
    ),
    SeededFault(
        "secret discs are not disguised",
        "sight.py",
        "if other != seat and state.chosen[other] != NO_PAWN:",
        "if False:",
        "disguise_reaches_everything",
    ),
    # view.py
    SeededFault(
        "the id of a disc names it",
        "view.py",
        'disc_id = f"seat{seat}.secret"',
        'disc_id = f"seat{seat}.secret{pawn}"',
        "ids_name_positions",
    ),
    SeededFault("a hidden choice is not told", "view.py", 'yield event("chose_unseen")', "return", "moves_are_told"),
    SeededFault(
        "the wrong number of a round",
        "view.py",
        "            number=number + 1,\n            scores",
        "            number=number,\n            scores",
        "round_views_are_valid",
    ),
    # policy.py, words, manifest
    SeededFault(
        "moves are rated by the opponent's pawn",
        "policy.py",
        "is_own = state.chosen[state.to_move] == pawn",
        "is_own = state.chosen[1 - state.to_move] == pawn",
        "ratings_use_only_the_sight",
    ),
    SeededFault(
        "suspicions are not probabilities",
        "policy.py",
        "int(state.chosen[seat])) / highest",
        "int(state.chosen[seat])) * 2",
        "beliefs_are_probabilities",
    ),
    SeededFault("values above 1", "policy.py", "out[seat] = WIN_", "out[seat] = 2 * WIN_", "evaluations_are_in_bounds"),
    SeededFault(
        "too few legal moves", "__init__.py", "max_legal_moves=302", "max_legal_moves=20", "moves_are_in_order"
    ),
)
