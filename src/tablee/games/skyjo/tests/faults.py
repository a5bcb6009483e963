"""Faults of the game, each with the check of the conformance suite that finds it (docs/conformance.md)."""

from tablee.testing.seeded import SeededFault

IMAGINED = "    shuffle(generator, cards[pile_size:], size - pile_size)\n"

FAULTS = (
    # rules.py
    SeededFault(
        "half of the deck is shuffled",
        "rules.py",
        "shuffle(state.generator, state.piles, index)",
        "shuffle(state.generator, state.piles, index // 2)",
        "imagined_worlds_are_exchangeable",
        pairs=150,
    ),
    SeededFault(
        "a drawn card stays on the pile",
        "rules.py",
        "    state.piles[state.draw_count] = NO_CARD\n",
        "",
        "invariants_hold",
    ),
    SeededFault(
        "an exchanged card is lost",
        "rules.py",
        "    put_on_discard(state, old)\n",
        "",
        "invariants_hold",
    ),
    SeededFault(
        "a taken card may be put back",
        "rules.py",
        "            return Refusal.MUST_EXCHANGE\n",
        "            return 0 if move == DISCARD else Refusal.MUST_EXCHANGE\n",
        "refusals_agree",
    ),
    SeededFault(
        "the most points win", "rules.py", "state.seats, True, out)", "state.seats, False, out)", "ranks_follow_scores"
    ),
    SeededFault(
        "a seat is on turn after the end",
        "rules.py",
        "    state.end_reason = reason\n    state.to_move = NOBODY\n",
        "    state.end_reason = reason\n",
        "turns_fit",
    ),
    SeededFault(
        "points of a round count twice",
        "rules.py",
        "state.totals[seat] += state",
        "state.totals[seat] += 2 * state",
        "round_views_are_valid",
    ),
    # sight.py
    SeededFault(
        "secret openings are told",
        "sight.py",
        "return state.phase > OPEN_SECOND or seat == state.to_move",
        "return True",
        "sights_show_known_moves",
    ),
    SeededFault(
        "all see a drawn card",
        "sight.py",
        "out.held = UNKNOWN if state.phase == DRAWN and state.to_move != seat else state.held",
        "out.held = state.held",
        "nothing_leaks",
    ),
    SeededFault(
        "owners see their hidden cards",
        "sight.py",
        "if (known >> cell) & 1 else UNKNOWN",
        "if (known >> cell) & 1 or other == seat else UNKNOWN",
        "nothing_leaks",
    ),
    SeededFault(
        "the top of the draw pile is seen",
        "sight.py",
        "UNKNOWN if index < state.draw_count else",
        "UNKNOWN if index < state.draw_count - 1 else",
        "nothing_leaks",
    ),
    SeededFault("the ender is not written", "sight.py", "    out.ender = state.ender\n", "", "sights_are_complete"),
    SeededFault(
        "imagined cards are not shuffled", "sight.py", IMAGINED, "", "imagined_worlds_are_exchangeable", pairs=100
    ),
    SeededFault(
        "half of the imagined cards are shuffled",
        "sight.py",
        IMAGINED,
        IMAGINED.replace("size - pile_size)", "(size - pile_size) // 2)"),
        "imagined_worlds_are_exchangeable",
        pairs=150,
    ),
    SeededFault(
        "the first cards are imagined to be open",
        "sight.py",
        "        cell = below(generator, CELLS)\n",
        "        cell = opened\n",
        "imagined_worlds_are_exchangeable",
        pairs=300,
    ),
    SeededFault(
        "a drawn card is not disguised",
        "sight.py",
        "    if state.phase == DRAWN and state.to_move != seat:\n        cards[size]",
        "    if False:\n        cards[size]",
        "disguise_reaches_everything",
    ),
    SeededFault(
        "the phase is written twice",
        "sight.py",
        "    out[AT_PHASE + sight.phase] = 1.0\n",
        "    out[AT_PHASE + sight.phase] = 0.5\n    out[AT_PHASE + sight.phase] = 1.0\n",
        "results_are_written_once",
    ),
    # view.py, policy.py, manifest
    SeededFault(
        "the losers win",
        "view.py",
        "if totals[seat] == min(totals)",
        "if totals[seat] == max(totals)",
        "views_are_valid",
    ),
    SeededFault(
        "ids name cards",
        "view.py",
        'piece_id = f"seat{seat}.{name}"',
        'piece_id = f"seat{seat}.{name}.{value}"',
        "ids_name_positions",
    ),
    SeededFault(
        "the mover gets no event",
        "view.py",
        'yield event("took", path=("discard", "hand"), value=new.held)',
        "pass",
        "moves_are_told",
    ),
    SeededFault(
        "moves are rated by hidden cards",
        "policy.py",
        "            points = 0.8\n",
        "            points = float(state.piles[state.draw_count - 1])\n",
        "ratings_use_only_the_sight",
    ),
    SeededFault("too few legal moves", "__init__.py", "max_legal_moves=13", "max_legal_moves=11", "moves_are_in_order"),
)
