"""Positions for tests: cards are written `1` to `12` and `w`, the top of a pile last."""

from collections import Counter
from typing import Any

from tablee import Match
from tablee.core.state import NOBODY, blank_state
from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.moves import CARD_CODES, CARD_NAMES, PILE_NAMES
from tablee.games.skip_bo.state import (
    COPIES,
    EDITION,
    SERIES_LENGTHS,
    STOCK_SIZES,
    WILD,
    WILDS,
    Problem,
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
    """Return a full state: per seat its `stock`, `hand`, discard piles `a` to `d`, and the `piles` the hand came from.

    All other cards of the deck lie at the bottom of the draw pile; without `whole_deck` they do not exist.
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
    for seat, zones in enumerate(seats):
        lay_out(state, seat, zones)
    for number, pile in enumerate(series):
        state.series[number] = len(cards(pile))
        state.series_wilds[number] = sum(1 << index for index, card in enumerate(cards(pile)) if card == WILD)
    for card in cards(completed):
        state.completed[card] += 1
    named = count_named(seats, series, completed, draw)
    state.deck[:] = whole_deck_of(edition) if whole_deck else named
    rest = [card for card in range(1, CARD_CODES + 1) for _ in range(state.deck[card] - named[card])]
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
    """Return the codes of cards given as text."""
    return [CARD_NAMES.index(name) for name in text.split()]


def shown(codes: Any) -> str:
    """Return the text of card codes."""
    return " ".join(CARD_NAMES[int(card)] for card in codes)


def lay_out(state: Any, seat: int, zones: dict[str, str]) -> None:
    """Write the cards of one seat into a state."""
    stock, hand = cards(zones["stock"]), cards(zones.get("hand", ""))
    came_from = [int(number) for number in zones.get("piles", "0 " * len(hand)).split()]
    hold(state, seat, sorted(zip(came_from, hand, strict=True)))
    first = seat * int(state.stock_size)
    state.stock_counts[seat] = len(stock)
    state.stocks[first : first + len(stock)] = stock
    for pile, name in enumerate(PILE_NAMES):
        discards = cards(zones.get(name, ""))
        end = int(state.discard_count) + len(discards)
        state.discards[state.discard_count : end] = discards
        state.discard_count = end
        state.pile_counts[seat, pile] = len(discards)
        state.pile_tops[seat, pile] = discards[-1] if discards else 0


def hold(state: Any, seat: int, hand: list[tuple[int, int]]) -> None:
    """Write a hand, given as sorted pairs of draw pile number and card."""
    state.hand_counts[seat] = len(hand)
    for slot, (number, card) in enumerate(hand):
        state.hand_piles[seat, slot] = number
        state.hands[seat, slot] = card
        if 0 < number == state.pile_number:
            state.unseen_in_pile[card] += 1


def count_named(seats: tuple[dict[str, str], ...], series: tuple[str, ...], completed: str, draw: str) -> list[int]:
    """Count the cards named in the arguments of `position`."""
    texts = [text for zones in seats for name, text in zones.items() if name != "piles"]
    counts = Counter(card for text in [*texts, *series, completed, draw] for card in cards(text))
    return [counts[card] for card in range(CARD_CODES + 1)]


def whole_deck_of(edition: int) -> list[int]:
    """Return how many of each card the deck of an edition has."""
    length = int(SERIES_LENGTHS[edition])
    return [0, *[int(COPIES[edition])] * length, *[0] * (12 - length), int(WILDS[edition])]


def broken(state: Any) -> list[str]:
    """Return the broken invariants of a state."""
    return Problem.sentences(int(GAME.kernels.problems(state)))


def played(state: Any, *moves: str) -> Match:
    """Return a match that starts from a position, after these moves."""
    match = Match.from_state(GAME, state)
    for move in moves:
        match.play(move)
        assert broken(match.state) == []
    return match


def dealt(seats: int, seed: int = 1, **options: Any) -> Match:
    """Return a new match."""
    return Match(GAME, seats=seats, seed=seed, options=options)


def texts(match: Match, kind: str = "") -> list[str]:
    """Return the texts of the legal moves that start with `kind`."""
    return [text for text in map(match.text, match.legal_moves()) if text.startswith(kind)]


def hand(state: Any, seat: int) -> str:
    """Return a seat's hand as text, ascending."""
    return shown(sorted(state.hands[seat, : state.hand_counts[seat]]))


def pile(state: Any, seat: int, name: str) -> str:
    """Return one of a seat's discard piles as text, top last."""
    number = PILE_NAMES.index(name)
    end = int(pile_end(state, seat, number))
    return shown(state.discards[end - int(state.pile_counts[seat, number]) : end])


def heights(state: Any) -> list[int]:
    """Return the numbers on top of the series."""
    return [int(height) for height in state.series]


def top(state: Any, seat: int) -> str:
    """Return the top card of a stock as text."""
    return shown([stock_top(state, seat)])


def completed_cards(state: Any) -> str:
    """Return the cards that were set aside as text, ascending."""
    return shown(card for card in range(CARD_CODES + 1) for _ in range(state.completed[card]))
