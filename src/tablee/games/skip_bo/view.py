"""What a front end draws of a Skip-Bo table, and the story of each move, both from a sight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from tablee.core.sight import Sight
from tablee.core.state import NOBODY
from tablee.core.view import Choice, Event, Piece, View, Zone
from tablee.core.words import Words
from tablee.games.skip_bo.moves import PILE_NAMES, PILES, SERIES, SERIES_NAMES, Parts, move_text, parts_of
from tablee.games.skip_bo.rules import EMPTIED, REASONS, TARGET
from tablee.games.skip_bo.state import NO_CARD, WILD, ends_in_wild, first_size, pile_end, refill_size, stock_top


def draw(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> View:
    """Lay out the table for one viewer."""
    state = sight.state
    return View(
        game=sight.game.name,
        viewer=sight.seat,
        seats=sight.seats,
        to_move=sight.to_move,
        prompt=_prompt(sight, moves, words, names),
        zones=tuple(_zones(sight, words, names)),
        scores=tuple(_totals(sight)),
        choices=tuple(_choice(sight, move, words) for move in moves),
        end=words.say(f"reasons.{REASONS[int(state.end_reason)]}") if state.end_reason else None,
        winners=_winners(sight),
        facts=_facts(sight),
    )


def card_colour(card: int) -> str:
    """Return the colour of a card's band."""
    return "orange" if card == WILD else "blue" if card <= 4 else "green" if card <= 8 else "red"


def card_face(card: int) -> str:
    """Return what is printed on a card."""
    return "W" if card == WILD else str(card)


def card_name(card: int, words: Words) -> str:
    """Return a card in words."""
    return words.say("cards.wild") if card == WILD else words.say("cards.number", value=card)


def _totals(sight: Sight) -> list[int]:
    return [int(sight.state.totals[seat]) for seat in range(sight.seats)]


def _winners(sight: Sight) -> tuple[int, ...]:
    totals = _totals(sight)
    if not sight.state.end_reason:
        return ()
    return tuple(seat for seat, total in enumerate(totals) if total == max(totals))


# Zones


def _zones(sight: Sight, words: Words, names: Sequence[str]) -> Iterator[Zone]:
    state = sight.state
    for series in range(SERIES):
        yield _series_zone(state, series, words)
    yield Zone("draw", "stack", words.say("zones.draw"), count=int(state.draw_count))
    yield Zone("completed", "stack", words.say("zones.completed"), count=int(state.completed.sum()))
    for seat in range(sight.seats):
        yield _stock_zone(state, seat, words, names[seat])
        yield _hand_zone(sight, seat, words, names[seat])
        for pile in range(PILES):
            yield _pile_zone(state, seat, pile, words, names[seat])


def _series_zone(state: Any, series: int, words: Words) -> Zone:
    name = SERIES_NAMES[series]
    height = int(state.series[series])
    label = words.say("zones.series", series=name, value=height + 1)
    if height == 0:
        return Zone(f"series{name}", "stack", label, count=0)
    is_wild = bool(ends_in_wild(state, series))
    told = words.say("cards.top_wild" if is_wild else "cards.top", series=name, value=height)
    symbol, marks = ("wild", ("wild",)) if is_wild else (None, ())
    colour = card_colour(WILD if is_wild else height)
    return Zone(
        f"series{name}",
        "stack",
        label,
        (Piece(f"series{name}.top", told, str(height), colour, symbol, marks),),
        count=height,
    )


def _stock_zone(state: Any, seat: int, words: Words, player: str) -> Zone:
    top = int(stock_top(state, seat))
    pieces = (_open_card(f"seat{seat}.stock.top", top, words),) if top != NO_CARD else ()
    label = words.say("zones.stock", player=player)
    return Zone(f"seat{seat}.stock", "stack", label, pieces, owner=seat, count=int(state.stock_counts[seat]))


def _hand_zone(sight: Sight, seat: int, words: Words, player: str) -> Zone:
    state = sight.state
    count = int(state.hand_counts[seat])
    ids = [f"seat{seat}.hand.{slot + 1}" for slot in range(count)]
    if seat == sight.seat:
        pieces = tuple(_open_card(name, card, words) for name, card in zip(ids, _hand(state, seat), strict=True))
    else:
        pieces = tuple(Piece(name, words.say("cards.hidden")) for name in ids)
    return Zone(f"seat{seat}.hand", "fan", words.say("zones.hand", player=player), pieces, owner=seat, count=count)


def _pile_zone(state: Any, seat: int, pile: int, words: Words, player: str) -> Zone:
    name = PILE_NAMES[pile]
    cards = _pile_cards(state, seat, pile)
    pieces = tuple(_open_card(f"seat{seat}.{name}.{height}", card, words) for height, card in enumerate(cards, 1))
    label = words.say("zones.pile", player=player, pile=name)
    return Zone(f"seat{seat}.{name}", "fan", label, pieces, owner=seat, count=len(cards))


def _pile_cards(state: Any, seat: int, pile: int) -> list[int]:
    """Return the cards of a discard pile, top last."""
    end = int(pile_end(state, seat, pile))
    return [int(card) for card in state.discards[end - int(state.pile_counts[seat, pile]) : end]]


def _open_card(identity: str, card: int, words: Words) -> Piece:
    symbol = "wild" if card == WILD else None
    return Piece(identity, card_name(card, words), card_face(card), card_colour(card), symbol)


# Choices


def _choice(sight: Sight, move: int, words: Words) -> Choice:
    state, seat = sight.state, sight.seat
    parts = parts_of(move)
    text = move_text(move)
    if parts.kind == "pass":
        return Choice(move, text, words.say("moves.pass"), (f"seat{seat}.hand",), "pass")
    card = _card_of(state, seat, parts)
    source = _source(state, seat, parts)
    name = card_name(card, words)
    if parts.kind == "discard":
        pile = PILE_NAMES[parts.pile]
        label = words.say("moves.discard", card=name, pile=pile)
        return Choice(move, text, label, (source, f"seat{seat}.{pile}"), "discard")
    series = SERIES_NAMES[parts.series]
    label = words.say(f"moves.{parts.kind}", card=name, pile=PILE_NAMES[parts.pile], series=series)
    return Choice(move, text, label, (source, f"series{series}"), parts.kind)


def _card_of(state: Any, seat: int, parts: Parts) -> int:
    """Return the card that a move of a seat takes."""
    if parts.kind == "stock":
        return int(stock_top(state, seat))
    return int(state.pile_tops[seat, parts.pile]) if parts.kind == "pile" else parts.card


def _source(state: Any, seat: int, parts: Parts) -> str:
    """Return the id of the piece that a move takes; the first of equal cards in the viewer's own hand."""
    if parts.kind == "stock":
        return f"seat{seat}.stock.top"
    if parts.kind == "pile":
        return f"seat{seat}.{PILE_NAMES[parts.pile]}.{int(state.pile_counts[seat, parts.pile])}"
    return f"seat{seat}.hand.{_hand(state, seat).index(parts.card) + 1}"


def _hand(state: Any, seat: int) -> list[int]:
    """Return the cards of a hand as their owner holds them, ascending."""
    return sorted(int(card) for card in state.hands[seat] if card != NO_CARD)


def _prompt(sight: Sight, moves: Sequence[int], words: Words, names: Sequence[str]) -> str:
    state = sight.state
    if state.end_reason:
        return words.say("prompt.over")
    if sight.to_move != sight.seat:
        return words.say("prompt.wait", player=names[sight.to_move])
    kinds = {parts_of(move).kind for move in moves}
    ending = "discard" if "discard" in kinds else "pass"
    if "stock" in kinds:
        return words.say(f"prompt.stock_or_{ending}", card=card_name(int(stock_top(state, sight.seat)), words))
    return words.say(f"prompt.play_or_{ending}" if kinds & {"hand", "pile"} else f"prompt.{ending}")


def _facts(sight: Sight) -> dict[str, Any]:
    state = sight.state
    seats = range(sight.seats)
    return {
        "round": int(state.rounds_played) + (0 if state.end_reason else 1),
        "dealer": int(state.dealer),
        "lots": [card_face(int(state.lots[seat])) if state.lots[seat] else None for seat in seats],
        "next": [int(height) + 1 for height in state.series],
        "series_length": int(state.series_length),
        "stock_size": int(state.stock_size),
        "stocks": [int(state.stock_counts[seat]) for seat in seats],
        "hand_sizes": [int(first_size(state)), int(refill_size(state))],
        "target": TARGET,
        "last_round": _last_round(sight),
    }


def _last_round(sight: Sight) -> dict[str, Any] | None:
    state = sight.state
    if not state.rounds_played:
        return None
    return {
        "end": REASONS[int(state.last_end)],
        "winner": int(state.last_winner),
        "points": int(state.last_points),
        "left": [int(state.last_left[seat]) for seat in range(sight.seats)],
    }


# The story of a move


class _Telling(Protocol):
    """Makes an event: `say(code, seat, path, **values)`."""

    def __call__(self, code: str, seat: int | None, path: tuple[str, ...] = (), **values: Any) -> Event: ...


def tell(before: Sight, move: int | None, after: Sight, words: Words, names: Sequence[str]) -> list[Event]:
    """Say what happened; every move of this game is open (`sees_move`), so `move` is never None."""
    assert move is not None

    def say(code: str, seat: int | None, path: tuple[str, ...] = (), **values: Any) -> Event:
        told = words.say(f"events.{code}", player="" if seat is None else names[seat], **values)
        return Event(code, told, seat, path)

    events = list(_tell_move(before, parts_of(move), words, say))
    if after.state.rounds_played > before.state.rounds_played:
        events += _tell_round(after, words, say)
    elif after.state.stock_counts[before.to_move] < before.state.stock_counts[before.to_move]:
        card = card_name(int(stock_top(after.state, before.to_move)), words)
        events.append(say("turned_up", before.to_move, (f"seat{before.to_move}.stock",), card=card))
    events += _tell_drawn(before, move, after, words, say)
    if after.state.end_reason:
        winners = [names[seat] for seat in _winners(after)]
        code = "drawn" if len(winners) == len(names) else "won" if len(winners) == 1 else "won_together"
        events.append(say(code, None, winners=" & ".join(winners)))
    return events


def _tell_move(before: Sight, parts: Parts, words: Words, say: _Telling) -> Iterator[Event]:
    state, mover = before.state, before.to_move
    if parts.kind == "pass":
        yield say("passed", mover)
        return
    card = card_name(_card_of(state, mover, parts), words)
    pile = PILE_NAMES[parts.pile]
    ranks = {"stock": f"seat{mover}.stock", "pile": f"seat{mover}.{pile}"}
    source = ranks.get(parts.kind, f"seat{mover}.hand")
    if parts.kind == "discard":
        yield say("discarded", mover, (source, f"seat{mover}.{pile}"), card=card, pile=pile)
        return
    series = SERIES_NAMES[parts.series]
    height = int(state.series[parts.series]) + 1
    is_wild = _card_of(state, mover, parts) == WILD
    code = f"played_{parts.kind}_wild" if is_wild else f"played_{parts.kind}"
    yield say(code, mover, (source, f"series{series}"), card=card, pile=pile, series=series, value=height)
    if height == state.series_length:
        yield say("completed", None, (f"series{series}", "completed"), series=series)


def _tell_round(after: Sight, words: Words, say: _Telling) -> Iterator[Event]:
    """Say how a round ended, who won it, and who deals the next."""
    state = after.state
    winner = int(state.last_winner)
    if state.last_end == EMPTIED:
        yield say("emptied", winner)
    else:
        yield say(REASONS[int(state.last_end)], None)
    if winner == NOBODY:
        yield say("nobody_scores", None)
    else:
        left = sum(int(count) for seat, count in enumerate(state.last_left[: after.seats]) if seat != winner)
        yield say("scored", winner, n=left, points=int(state.last_points), total=int(state.totals[winner]))
    if not state.end_reason:
        yield say("dealt", int(state.dealer), number=int(state.rounds_played) + 1)
        for seat in range(after.seats):
            yield say("turned_up", seat, (f"seat{seat}.stock",), card=card_name(int(stock_top(state, seat)), words))


def _tell_drawn(before: Sight, move: int, after: Sight, words: Words, say: _Telling) -> Iterator[Event]:
    """Say what the seat now on turn has drawn; only its owner knows the cards."""
    old, new, drawer = before.state, after.state, after.to_move
    if drawer == NOBODY:
        return
    is_new_round = new.rounds_played > old.rounds_played
    has_taken = drawer == before.to_move and parts_of(move).card > 0
    kept = 0 if is_new_round else int(old.hand_counts[drawer]) - has_taken
    count = int(new.hand_counts[drawer]) - kept
    if count == 0:
        return
    if not is_new_round and old.draw_count < count:
        yield say("reshuffled", None, ("completed", "draw"))
    path = ("draw", f"seat{drawer}.hand")
    if drawer != after.seat:
        yield say("drew_unseen", drawer, path, n=count)
        return
    drawn = Counter(_hand(new, drawer)) - Counter(_hand(old, drawer) if kept else ())
    listed = ", ".join(card_name(card, words) for card in sorted(drawn.elements()))
    yield say("drew", drawer, path, cards=listed)
