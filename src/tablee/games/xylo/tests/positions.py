"""Positions for tests. A card is the letter of its colour and its value: `R7`, `K0`; K is pink, S sky blue."""

from collections.abc import Sequence
from typing import Any

from tablee import Match
from tablee.core.state import blank_state
from tablee.games.xylo import GAME
from tablee.games.xylo.packets import open_packet
from tablee.games.xylo.rules import deal, lay_out, start_round
from tablee.games.xylo.state import ARRANGE, NO_CARD, PLAY, Problem, card_at, is_down, row_count, row_of, value_of

LETTERS = "ROYGSBPK"


def card(text: str) -> int:
    """Return the code of a card given as text."""
    return LETTERS.index(text[0]) * 16 + int(text[1:])


def name(number: int) -> str:
    """Return the text of a card."""
    return f"{LETTERS[number >> 4]}{number & 15}"


def dealt(seats: int, seed: int = 1, **options: Any) -> Match:
    """Return a new match."""
    return Match(GAME, seats=seats, seed=seed, options=options)


def table(*rows: str, seats: int | None = None, voids: Sequence[str] = (), **options: Any) -> Match:
    """Return a match with the whole deck whose rows hold the cards in `rows`, and no card of the colours in `voids`.

    With two players there are four rows. Equal cards lie in the order in which they are named, those in `rows` first.
    """
    return Match.from_state(GAME, _filled(rows, seats, voids, options))


def _filled(texts: Sequence[str], seats: int | None, voids: Sequence[str], options: dict[str, Any]) -> Any:
    state = blank_state(GAME, GAME.setup(seats or len(texts), {"ties": "auto"} | options), seed=1)
    deal(state)
    state.bid_at[:] = -1
    rows = [[card(text.strip("*")) for text in row.split()] for row in texts]
    rest = [int(number) for number in state.cards if number != NO_CARD]
    rest = sorted(set(rest) - {number for row in rows for number in row})
    forbidden = [*voids, *[""] * len(rows)]
    rest.sort(key=lambda number: -sum(LETTERS[number >> 4] in letters for letters in voids))
    for number in rest:
        open_rows = [row for row, letters in zip(rows, forbidden, strict=False) if LETTERS[number >> 4] not in letters]
        min((row for row in open_rows if len(row) < state.row_size), key=len).append(number)
    write_rows(state, [sorted(row, key=lambda number: -(number & 15)) for row in rows])
    state.down[: len(rows)] = (1 << int(state.row_size)) - 1
    lay_out(state)
    assert broken(state) == []
    return state


def endgame(
    *rows: str,
    won: Sequence[int],
    leader: int = 0,
    totals: Sequence[int] = (),
    rounds_played: int = 0,
    first: int = 0,
    seats: int | None = None,
    **options: Any,
) -> Match:
    """Return a match near the end of a round: only the cards in `rows` are left, `*O2` is an announcement.

    `leader` is the row that leads the next trick; `first` is the seat that led the round.
    """
    state = _filled(rows, seats, (), options)
    state.down[:] = 0
    state.bid_at[:] = -1
    for row, texts in enumerate(rows):
        for text in texts.split():
            position = index_of(state, row, text.strip("*"))
            if text.startswith("*"):
                state.bid_at[row] = position
            else:
                state.down[row] |= 1 << position
    state.won[: len(won)] = won
    state.totals[: len(totals)] = totals
    state.rounds_played = rounds_played
    state.leader = leader
    state.first = first
    state.phase = PLAY
    state.to_move = leader // 2 if state.seats == 2 else leader
    assert broken(state) == []
    return Match.from_state(GAME, state)


def small(*rows: str, first: int = 0, **options: Any) -> Match:
    """Return a match whose deck is only these cards; the rows are given from left to right."""
    seats = options.pop("seats", len(rows))
    state = blank_state(GAME, GAME.setup(seats, {"ties": "auto"} | options), seed=1)
    deal(state)
    cards = [[card(text) for text in row.split()] for row in rows]
    state.sizes[:] = [sum(number >> 4 == colour for row in cards for number in row) for colour in range(8)]
    state.first = first
    start_round(state)
    write_rows(state, cards)
    if state.phase == ARRANGE:
        open_packet(state, 0)
    assert broken(state) == []
    return Match.from_state(GAME, state)


def write_rows(state: Any, rows: Sequence[Sequence[int]]) -> None:
    """Write the cards of all rows into a state."""
    size = int(state.row_size)
    assert {len(row) for row in rows} == {size}
    for row, numbers in enumerate(rows):
        state.cards[row * size : (row + 1) * size] = numbers


def broken(state: Any) -> list[str]:
    """Return the broken invariants of a state."""
    return Problem.sentences(int(GAME.kernels.problems(state)))


def index_of(state: Any, row: int, text: str) -> int:
    """Return the position of a card in a row."""
    return next(p for p in range(int(state.row_size)) if card_at(state, row, p) == card(text))


def row(state: Any, number: int) -> str:
    """Return a row as text, as it was laid out."""
    return " ".join(name(card_at(state, number, position)) for position in range(int(state.row_size)))


def cards_down(state: Any, number: int) -> str:
    """Return the face-down cards of a row as text."""
    positions = [p for p in range(int(state.row_size)) if is_down(state, number, p)]
    return " ".join(name(card_at(state, number, position)) for position in positions)


def lay(match: Match, *cards: str) -> Match:
    """Play these cards in turn, without announcements."""
    for text in cards:
        own = int(row_of(match.state, match.to_move))
        match.play(f"play {index_of(match.state, own, text) + 1}")
        decline(match)
    return match


def decline(match: Match) -> None:
    """Pass if that is legal."""
    if "pass" in texts(match):
        match.play("pass")


def announce(match: Match, text: str) -> None:
    """Look at a card and its neighbour, and announce the card."""
    own = int(row_of(match.state, match.to_move))
    position = index_of(match.state, own, text)
    peeks = [move for move in texts(match) if move.startswith("peek")]
    is_last = f"peek {position + 1}" not in peeks
    match.play(peeks[-1] if is_last else f"peek {position + 1}")
    match.play("bid right" if is_last else "bid left")


def texts(match: Match) -> list[str]:
    """Return the texts of the legal moves."""
    return [match.text(move) for move in match.legal_moves()]


def playable(match: Match) -> str:
    """Return the cards that the seat on turn may play as text."""
    own = int(row_of(match.state, match.to_move))
    moves = [int(move.split()[1]) - 1 for move in texts(match) if move.startswith("play")]
    return " ".join(name(card_at(match.state, own, position)) for position in moves)


def finish_round(match: Match) -> Match:
    """Play the first legal move until the round is over."""
    rounds = int(match.state.rounds_played)
    while match.state.rounds_played == rounds:
        match.play(match.legal_moves()[0])
        assert broken(match.state) == []
    return match


def keep_all(match: Match) -> Match:
    """Keep all packets as they were dealt."""
    while "keep" in texts(match):
        match.play("keep")
    return match


def values(state: Any, number: int) -> list[int]:
    """Return the values of a row."""
    return [value_of(card_at(state, number, position)) for position in range(int(state.row_size))]


def rows(state: Any) -> range:
    """Return the numbers of the rows."""
    return range(int(row_count(state)))
