"""Faults of the template game, each with the check that finds it (docs/conformance.md)."""

from tablee.testing.seeded import SeededFault

SHUFFLE = "    shuffle(generator, cards, count)\n    put_unseen(sight, cards)\n"  # of `imagine`
PUT = "    put_unseen(sight, cards)\n"
SWAPPED = (
    "    for index in range(count // 2):\n"
    "        low, high = min(cards[index], cards[count - 1 - index]), max(cards[index], cards[count - 1 - index])\n"
    "        cards[index], cards[count - 1 - index] = low, high\n"
)

FAULTS = (
    # rules.py
    SeededFault(
        "the last seat is dealt a card too few",
        "rules.py",
        "for index in range(state.options[HAND]):",
        "for index in range(state.options[HAND] - int(seat == state.seats - 1)):",
        "moves_are_in_order",
    ),
    SeededFault(
        "the deck is not shuffled",
        "rules.py",
        "    shuffle(state.generator, state.TOY_stock, CARDS)\n",
        "",
        "imagined_worlds_are_exchangeable",
    ),
    SeededFault(
        "half of the deck is shuffled",
        "rules.py",
        "shuffle(state.generator, state.TOY_stock, CARDS)",
        "shuffle(state.generator, state.TOY_stock, CARDS // 2)",
        "imagined_worlds_are_exchangeable",
    ),
    SeededFault(
        "a hand is not sorted",
        "rules.py",
        "        sort_hand(state, seat)\n\n\n@kernel\ndef sort_hand",
        "\n\n@kernel\ndef sort_hand",
        "moves_are_in_order",
    ),
    SeededFault(
        "a legal move is not listed", "rules.py", "    return count\n", "    return count - 1\n", "refusals_agree"
    ),
    SeededFault(
        "lower cards than those in hand are allowed",
        "rules.py",
        "== move + 1:\n            return 0",
        ">= move + 1:\n            return 0",
        "refusals_agree",
    ),
    SeededFault(
        "an undeclared refusal",
        "rules.py",
        "    return Refusal.NOT_IN_HAND\n",
        "    return 9\n",
        "refusals_agree",
    ),
    SeededFault(
        "a played card stays in the hand",
        "rules.py",
        "    remove_from_hand(state, state.to_move, move + 1)\n",
        "",
        "invariants_hold",
    ),
    SeededFault("a seat is on turn after the end", "rules.py", "        state.to_move = NOBODY\n", "", "turns_fit"),
    SeededFault(
        "a trick counts five",
        "rules.py",
        "state.points[winner] += 1",
        "state.points[winner] += 5",
        "scores_are_in_bounds",
    ),
    SeededFault(
        "points in the middle of a trick",
        "rules.py",
        "        out[seat] = state.points[seat]\n",
        "        out[seat] = state.points[seat] + cards_in_trick(state)\n",
        "scores_follow_rounds",
    ),
    SeededFault(
        "rounds are counted in cards",
        "rules.py",
        "return state.played_count // state.seats",
        "return state.played_count",
        "round_views_are_valid",
    ),
    SeededFault(
        "rounds are forgotten at the end",
        "rules.py",
        "return state.played_count // state.seats",
        "return 0 if state.end_reason else state.played_count // state.seats",
        "rounds_advance",
    ),
    SeededFault(
        "the fewest tricks win",
        "rules.py",
        "rank_by_score(state.points, state.seats, False, out)",
        "rank_by_score(state.points, state.seats, True, out)",
        "ranks_follow_scores",
    ),
    SeededFault("an end without words", "rules.py", "HANDS_EMPTY = 1", "NO_CARDS = 1", "ends_have_reasons"),
    SeededFault(
        "a refusal cites no clause", "rules.py", 'NOT_IN_HAND = "R2"', 'NOT_IN_HAND = "R22"', "refusals_have_words"
    ),
    # state.py
    SeededFault("a problem without a sentence", "state.py", '"a hand is not in order"', '""', "codes_are_declared"),
    # sight.py: see and sees_move
    SeededFault(
        "hands are open", "sight.py", "is_secret = other != seat and", "is_secret = other > 8 and", "nothing_leaks"
    ),
    SeededFault(
        "the hand of the next seat is seen",
        "sight.py",
        "is_secret = other != seat and",
        "is_secret = other != seat and other != seat + 1 and",
        "nothing_leaks",
    ),
    SeededFault(
        "the stock is seen",
        "sight.py",
        "UNKNOWN if state.TOY_stock[index] != NO_CARD else NO_CARD",
        "state.TOY_stock[index]",
        "nothing_leaks",
    ),
    SeededFault(
        "points are not written",
        "sight.py",
        "        out.points[other] = state.points[other]\n",
        "",
        "sights_are_complete",
    ),
    SeededFault(
        "the generator is not hidden",
        "sight.py",
        "import imagine_head, see_head",
        "import glimpse_head as see_head\nfrom tablee.core.state import imagine_head",
        "sights_are_complete",
    ),
    SeededFault(
        "moves are hidden that are told",
        "sight.py",
        "    return True\n",
        "    return seat == state.to_move\n",
        "moves_are_told",
    ),
    SeededFault(
        "a seat may not know its own move",
        "sight.py",
        "    return True\n",
        "    return seat != state.to_move\n",
        "movers_know_their_move",
    ),
    SeededFault(
        "what a seat may know depends on a hidden card",
        "sight.py",
        "    return True\n",
        "    return seat == state.to_move or state.hands[state.to_move, 0] % 2 == 0\n",
        "nothing_leaks",
    ),
    # sight.py: imagine
    SeededFault("imagined cards are not shuffled", "sight.py", SHUFFLE, PUT, "imagined_worlds_are_exchangeable"),
    SeededFault(
        "half of the imagined cards are shuffled",
        "sight.py",
        SHUFFLE,
        SHUFFLE.replace("count)", "count // 2)"),
        "imagined_worlds_are_exchangeable",
    ),
    SeededFault(
        "imagined hands are too low",
        "sight.py",
        SHUFFLE,
        SHUFFLE.replace(PUT, SWAPPED + PUT),
        "imagined_worlds_are_exchangeable",
        pairs=600,
    ),
    SeededFault(
        "imagined cards are cut, not shuffled",
        "sight.py",
        SHUFFLE,
        "    start = int(sight.generator.key[0]) % count\n    cards[:count] = np.roll(cards[:count], start)\n" + PUT,
        "imagined_worlds_are_exchangeable",
    ),
    SeededFault(
        "every generator gives the same world",
        "sight.py",
        SHUFFLE,
        "    sight.generator.counter = 0\n" + PUT,
        "imagined_worlds_vary",
    ),
    SeededFault(
        "every world has the same future",
        "sight.py",
        "    imagine_head(sight, generator)\n",
        "    imagine_head(sight, generator)\n    for word in range(8):\n        sight.generator.key[word] = 1\n",
        "imagined_worlds_vary",
    ),
    SeededFault("a world stays a sight", "sight.py", "    imagine_head(sight, generator)\n", "", "imagined_worlds_fit"),
    SeededFault(
        "imagined hands are not sorted",
        "sight.py",
        "                used += 1\n        sort_hand(state, seat)\n",
        "                used += 1\n",
        "imagined_worlds_fit",
    ),
    SeededFault(
        "played cards are dealt again",
        "sight.py",
        "        is_seen[sight.played[index]] = True\n",
        "        pass\n",
        "imagined_worlds_fit",
    ),
    # sight.py: disguise
    SeededFault(
        "the stock is not disguised",
        "sight.py",
        "        if state.TOY_stock[index] != NO_CARD:\n            cards[count]",
        "        if False:\n            cards[count]",
        "disguise_reaches_everything",
    ),
    SeededFault(
        "the generator is not disguised",
        "sight.py",
        "    reseed(state.generator, generator)\n",
        "",
        "disguise_reaches_everything",
    ),
    SeededFault(
        "the viewer's own hand is disguised",
        "sight.py",
        "if other != seat and state.hands[other, index] != NO_CARD:",
        "if state.hands[other, index] != NO_CARD:",
        "nothing_leaks",
    ),
    # sight.py: observe
    SeededFault(
        "points are added to what is there",
        "sight.py",
        "out[AT_POINTS + relative] = sight",
        "out[AT_POINTS + relative] += sight",
        "results_are_written_once",
    ),
    SeededFault(
        "a number is written twice",
        "sight.py",
        "            out[AT_ON_TURN + relative] = 1.0\n",
        "            out[AT_ON_TURN + relative] = 0.0\n            out[AT_ON_TURN + relative] = 1.0\n",
        "results_are_written_once",
    ),
    SeededFault(
        "an array is allocated",
        "sight.py",
        "    me = max(seat, 0)\n",
        "    me = max(seat, int(np.zeros(1, np.int64)[0]))\n",
        "results_are_written_once",
    ),
    SeededFault(
        "a list is made",
        "sight.py",
        "    me = max(seat, 0)\n",
        "    me = max([seat, 0])\n",
        "results_are_written_once",
    ),
    SeededFault(
        "numbers beyond the layout",
        "sight.py",
        "out[AT_LOW_WINS] =",
        "out[AT_LOW_WINS + 8] =",
        "observations_are_complete",
    ),
    SeededFault(
        "an infinite number",
        "sight.py",
        "= sight.options[LOW_WINS]",
        "= np.inf",
        "observations_are_complete",
    ),
    SeededFault(
        "an option is not observed",
        "sight.py",
        "    out[AT_LOW_WINS] = sight.options[LOW_WINS]\n",
        "",
        "options_are_observed",
    ),
    SeededFault(
        "a block without meaning",
        "sight.py",
        '"1 if the lowest card takes the trick"',
        '""',
        "observations_are_complete",
    ),
    # view.py
    SeededFault(
        "the losers win", "view.py", "== max(points)) if is_over", "== min(points)) if is_over", "views_are_valid"
    ),
    SeededFault("a choice is missing", "view.py", "for move in moves)", "for move in moves[1:])", "views_are_valid"),
    SeededFault("a zone of an unknown kind", "view.py", '"fan"', '"heap"', "views_are_valid"),
    SeededFault(
        "the prompt is empty",
        "view.py",
        'return words.say("prompt.wait", player=names[sight.to_move])',
        'return ""',
        "views_are_valid",
    ),
    SeededFault(
        "two pieces with one id",
        "view.py",
        '_card(f"seat{seat}.{index}"',
        '_card(f"seat{seat}"',
        "views_are_valid",
    ),
    SeededFault(
        "ids name cards",
        "view.py",
        '_card(f"seat{seat}.{index}"',
        '_card(f"seat{seat}.{card}.{index}"',
        "ids_name_positions",
    ),
    SeededFault("no event is told", "view.py", "    return events\n", "    return []\n", "moves_are_told"),
    SeededFault(
        "everyone but the winner of a trick gets a point",
        "view.py",
        "int(seat == winner)",
        "int(seat != winner)",
        "round_views_are_valid",
    ),
    # words, rulebook, moves
    SeededFault("a text is missing in one language", "words/fr.toml", 'hidden = "carte cachée"\n', "", "words_agree"),
    SeededFault("a text lacks a parameter", "words/fr.toml", "joue le {card}.", "joue.", "words_agree"),
    SeededFault(
        "a refusal has no words",
        "words/fr.toml",
        "not_in_hand = ",
        "not_in_hands = ",
        "refusals_have_words",
    ),
    SeededFault("a clause is missing in one language", "rules.fr.md", "**R4.**", "**R44.**", "rulebooks_agree"),
    SeededFault("a clause without a test", "tests/test_rules.py", "def test_r2_", "def test_", "clauses_have_tests"),
    SeededFault(
        "another rulebook, but the template's tests",
        "rules.en.md",
        "the highest card takes the trick.",
        "the middle card takes the trick.",
        "tests_are_own",
    ),
    SeededFault(
        "two moves with one text",
        "moves.py",
        'return f"play {card_of(move)}"',
        'return f"play {max(card_of(move), 2)}"',
        "texts_are_reversible",
    ),
    SeededFault(
        "capitals are not understood", "moves.py", "text.lower().split()", "text.split()", "parsing_is_lenient"
    ),
    SeededFault(
        "nonsense raises the wrong error",
        "moves.py",
        '_numbers.get(" ".join(text.lower().split()))',
        '_numbers[" ".join(text.lower().split())]',
        "parsing_is_lenient",
    ),
    # __init__.py
    SeededFault("NumPy is imported", "__init__.py", "from tablee", "import numpy\nfrom tablee", "manifest_is_light"),
    SeededFault("a move too few", "__init__.py", "moves=20", "moves=12", "moves_are_in_order"),
    SeededFault("too few legal moves", "__init__.py", "max_legal_moves=4", "max_legal_moves=2", "moves_are_in_order"),
    SeededFault("too short a game", "__init__.py", "max_game_length=16", "max_game_length=5", "random_play_ends"),
    SeededFault(
        "too narrow bounds", "__init__.py", "score_bounds=(0, 4)", "score_bounds=(0, 0)", "scores_are_in_bounds"
    ),
    SeededFault("the fewest points win", "__init__.py", "points_win=False", "points_win=True", "ranks_follow_scores"),
    SeededFault("an option cites no clause", "__init__.py", 'clause="R4"', 'clause="R44"', "rulebooks_agree"),
)
