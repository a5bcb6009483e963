"""Tables for tests, built by hand: cards are written `1` to `12` and `w`, the top of a pile last."""

from collections import Counter
from typing import Any

from tablee import Match
from tablee.core.state import NOBODY, blank_state
from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.moves import CARD_NAMES, CODES, PILE_NAMES
from tablee.games.skip_bo.state import (
    COPIES,
    EDITION,
    PROBLEMS,
    SERIES_LENGTHS,
    STOCK_SIZES,
    WILD,
    WILDS,
    list_held,
    pile_end,
    stock_top,
)

PLAIN = {"stock": "9 9", "hand": "5 6 7"}  # a seat that cannot play on empty series
NO_SERIES = ("", "", "", "")


def position(
    *seats: dict[str, str],
    series: tuple[str, ...] = NO_SERIES,
    draw: str = "",
    completed: str = "",
    whole_deck: bool = True,
    options: dict[str, Any] | None = None,
    **fields: Any,
) -> Any:
    """Build a true record: per seat its `stock`, `hand`, discard piles `a` to `d`, and the `piles` the hand came from.

    Cards of the deck that are named nowhere lie under the draw pile; without `whole_deck` they do not exist.
    """
    state = blank_state(GAME, GAME.setup(len(seats), options), seed=1)
    edition = state.options[EDITION]
    usual = {
        "last_winner": NOBODY,
        "dealer": len(seats) - 1,
        "turns": 2 * len(seats),
        "series_length": SERIES_LENGTHS[edition],
        "stock_size": STOCK_SIZES[edition, len(seats) - 2],
    }
    for name, value in (usual | fields).items():
        state[name] = value
    for seat, things in enumerate(seats):
        lay_out(state, seat, things)
    for number, pile in enumerate(series):
        state.series[number] = len(cards(pile))
        state.series_wilds[number] = sum(1 << index for index, card in enumerate(cards(pile)) if card == WILD)
    for card in cards(completed):
        state.completed[card] += 1
    named = count_named(seats, series, completed, draw)
    state.deck[:] = whole_deck_of(edition) if whole_deck else named
    rest = [card for card in range(1, CODES + 1) for _ in range(state.deck[card] - named[card])]
    pile = rest + cards(draw)
    state.draw_count = len(pile)
    state.draw_pile[: len(pile)] = pile
    if state.pile_number > 0:
        for card in pile:
            state.unseen_in_pile[card] += 1
    list_held(state, state.unseen_held)
    assert broken(state) == []
    return state


def cards(text: str) -> list[int]:
    """Read cards."""
    return [CARD_NAMES.index(name) for name in text.split()]


def shown(codes: Any) -> str:
    """Write cards."""
    return " ".join(CARD_NAMES[int(card)] for card in codes)


def lay_out(state: Any, seat: int, things: dict[str, str]) -> None:
    """Write what lies before one seat into a record."""
    stock, hand = cards(things["stock"]), cards(things.get("hand", ""))
    came_from = [int(number) for number in things.get("piles", "0 " * len(hand)).split()]
    hold(state, seat, sorted(zip(came_from, hand, strict=True)))
    first = seat * int(state.stock_size)
    state.stock_counts[seat] = len(stock)
    state.stocks[first : first + len(stock)] = stock
    for pile, name in enumerate(PILE_NAMES):
        discards = cards(things.get(name, ""))
        end = int(state.discard_count) + len(discards)
        state.discards[state.discard_count : end] = discards
        state.discard_count = end
        state.pile_counts[seat, pile] = len(discards)
        state.pile_tops[seat, pile] = discards[-1] if discards else 0


def hold(state: Any, seat: int, hand: list[tuple[int, int]]) -> None:
    """Write a hand, as pairs of a pile's number and a card, in order."""
    state.hand_counts[seat] = len(hand)
    for slot, (number, card) in enumerate(hand):
        state.hand_piles[seat, slot] = number
        state.hands[seat, slot] = card
        if 0 < number == state.pile_number:
            state.unseen_in_pile[card] += 1


def count_named(seats: tuple[dict[str, str], ...], series: tuple[str, ...], completed: str, draw: str) -> list[int]:
    """Count the cards that a description names; of series, the numbers are left out where a wild stands."""
    texts = [text for things in seats for name, text in things.items() if name != "piles"]
    counts = Counter(card for text in [*texts, *series, completed, draw] for card in cards(text))
    return [counts[card] for card in range(CODES + 1)]


def whole_deck_of(edition: int) -> list[int]:
    """Return how many of each card an edition has."""
    length = int(SERIES_LENGTHS[edition])
    return [0, *[int(COPIES[edition])] * length, *[0] * (12 - length), int(WILDS[edition])]


def broken(state: Any) -> list[str]:
    """Return the invariants that a record breaks."""
    bits = int(GAME.kernels.problems(state))
    return [problem for index, problem in enumerate(PROBLEMS) if bits >> index & 1]


def played(state: Any, *moves: str) -> Match:
    """Return the match that goes on from a position with these moves."""
    match = Match.from_state(GAME, state)
    for move in moves:
        match.play(move)
        assert broken(match.state) == []
    return match


def dealt(seats: int, seed: int = 1, **options: Any) -> Match:
    """Return a new match."""
    return Match(GAME, seats=seats, seed=seed, options=options)


def texts(match: Match, kind: str = "") -> list[str]:
    """Return the legal moves in words, those that begin so."""
    return [text for text in map(match.text, match.legal_moves()) if text.startswith(kind)]


def hand(state: Any, seat: int) -> str:
    """Write a seat's hand, ascending."""
    return shown(sorted(state.hands[seat, : state.hand_counts[seat]]))


def pile(state: Any, seat: int, name: str) -> str:
    """Write one of a seat's discard piles, top last."""
    number = PILE_NAMES.index(name)
    end = int(pile_end(state, seat, number))
    return shown(state.discards[end - int(state.pile_counts[seat, number]) : end])


def heights(state: Any) -> list[int]:
    """Return the numbers on top of the series."""
    return [int(height) for height in state.series]


def top(state: Any, seat: int) -> str:
    """Write the open card of a stock."""
    return shown([stock_top(state, seat)])


def completed_cards(state: Any) -> str:
    """Write the cards that were set aside, ascending."""
    return shown(card for card in range(CODES + 1) for _ in range(state.completed[card]))
