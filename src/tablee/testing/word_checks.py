"""Checks of what people read and type: texts of moves, catalogues, rulebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import Formatter

from tablee.core.errors import BadMove, TableeError
from tablee.core.game import Game, show
from tablee.core.move_words import move_kinds
from tablee.core.words import Words
from tablee.testing.budget import Budget
from tablee.testing.nonconformity import Nonconformity
from tablee.testing.rulebook import checked_languages, read_clauses
from tablee.testing.walk_checks import end_reasons

NONSENSE = ("", " ", "?", "no such move", "-1", "é", "0" * 100, "\x00", "a1 a1 a1 a1")


def texts_are_reversible(game: Game, budget: Budget) -> None:
    """Check that `parse_move(move_text(move)) == move`, and that no two moves have the same text."""
    module = game.module("moves")
    texts: dict[str, int] = {}
    for move in range(game.moves):
        text = module.move_text(move)
        if not isinstance(text, str) or not text or text != " ".join(text.split()):
            raise Nonconformity(game, f"the text of move {move} is {text!r}; it must be words with single spaces")
        if text in texts:
            raise Nonconformity(game, f"moves {texts[text]} and {move} have the same text {text!r}")
        texts[text] = move
        if module.parse_move(text) != move:
            raise Nonconformity(
                game, f"move {move} has the text {text!r}, which is parsed as {module.parse_move(text)}"
            )


def parsing_is_lenient(game: Game, budget: Budget) -> None:
    """Check that `parse_move` ignores case and extra spaces, and raises BadMove for anything else."""
    module = game.module("moves")
    for move in range(game.moves):
        text = module.move_text(move)
        expected = module.parse_move(text)
        for typed in (text.upper(), f"  {text.replace(' ', '   ')}\t"):
            try:
                parsed = module.parse_move(typed)
            except BadMove:
                parsed = None
            if parsed != expected:
                raise Nonconformity(game, f"{typed!r} is not parsed as {text!r}")
    for nonsense in (*NONSENSE, f"{module.move_text(0)} and more"):
        try:
            parsed = module.parse_move(nonsense)
        except BadMove:
            continue
        except Exception as other:
            raise Nonconformity(game, f"{nonsense!r} raises {type(other).__name__}, not BadMove") from other
        raise Nonconformity(game, f"{nonsense!r} is parsed as move {parsed}")


def typed_moves_are_understood(game: Game, budget: Budget) -> None:
    """Check that every move, typed in the words of any language, is understood as that move."""
    module = game.module("moves")
    for language in checked_languages(game):
        words = game.move_words(language)
        for word, typed in words.words.items():
            if not typed or typed != "".join(typed.split()):
                raise Nonconformity(game, f"{word!r} is typed {typed!r} in {language!r}; it must be one word")
        for move in range(game.moves):
            text = module.move_text(move)
            typed, expected = words.typed(text), _parsed(game, text)  # that it is the move: `texts_are_reversible`
            for form in (typed, typed.upper(), text):
                if expected is not None and _parsed(game, words.canonical(form)) != expected:
                    raise Nonconformity(game, f"{form!r} is not understood as {text!r} in {language!r}")


def _parsed(game: Game, text: str) -> int | None:
    try:
        return int(game.module("moves").parse_move(text))
    except BadMove:
        return None


def refusals_have_words(game: Game, budget: Budget) -> None:
    """Check that every refusal has a sentence in every language and cites a clause of the rulebook."""
    clauses = {clause for clause, _ in read_clauses(game, "en")}
    for refusal in game.kernels.refusal_codes:
        if refusal.clause not in clauses:
            raise Nonconformity(game, f"the refusal {refusal.key!r} cites {refusal.clause!r}, which is not a clause")
        _require_words(game, [f"refusals.{refusal.key}"])


def ends_have_reasons(game: Game, budget: Budget) -> None:
    """Check that games end with a reason of `EndReason`, and that each has a sentence in every language."""
    reasons = list(game.kernels.end_reasons)
    for reason in reasons:
        _require_words(game, [f"reasons.{reason.key}"])
    for setup, code in end_reasons(game, budget):
        if code and code not in reasons:
            raise Nonconformity(game, f"it ends with reason {code}, which `EndReason` does not declare", setup=setup)


def words_agree(game: Game, budget: Budget) -> None:
    """Check that catalogues have the required keys, and the same keys and parameters in every language."""
    _require_words(game, required_words(game))
    default, *others = checked_languages(game)
    first = _catalogue(game, default)
    for language in others:
        other = _catalogue(game, language)
        difference = sorted(first.texts.keys() ^ other.texts.keys())
        if difference:
            raise Nonconformity(game, f"keys in only one of {default!r} and {language!r}: {difference}")
        for key, text in first.texts.items():
            if _parameters(text) != _parameters(other.texts[key]):
                what = f"{key!r} has the parameters {_parameters(text)} in {default!r}, "
                raise Nonconformity(game, f"{what}and {_parameters(other.texts[key])} in {language!r}")


def required_words(game: Game) -> Iterator[str]:
    """Yield the keys that every catalogue must have, besides those of refusals and end reasons."""
    yield from ("title", "tagline", "summary")
    for option in game.options:
        yield f"options.{option.name}.label"
        yield f"options.{option.name}.help"
        for choice in option.choices:
            if isinstance(choice, str):
                yield f"options.{option.name}.choices.{show(choice)}"
    yield from (f"kinds.{kind}" for kind in move_kinds(game))


def rulebooks_agree(game: Game, budget: Budget) -> None:
    """Check that rulebooks have the same clauses in every language, each once, and that every option cites one."""
    default, *others = checked_languages(game)
    first = [clause for clause, _ in read_clauses(game, default)]
    if not first:
        raise Nonconformity(game, f"rules.{default}.md has no clause `**R1.** ...`")
    twice = sorted({clause for clause in first if first.count(clause) > 1})
    if twice:
        raise Nonconformity(game, f"clauses that occur twice in the rulebook: {twice}")
    for language in others:
        other = [clause for clause, _ in read_clauses(game, language)]
        if other != first:
            difference = sorted(set(first) ^ set(other)) or "their order"
            raise Nonconformity(game, f"the rulebooks in {default!r} and {language!r} differ in {difference}")
    for option in game.options:
        if option.clause not in first:
            raise Nonconformity(game, f"the option {option.name!r} cites {option.clause!r}, which is not a clause")


def _catalogue(game: Game, language: str) -> Words:
    if game.words_path(language) is None:
        raise Nonconformity(game, f"words/{language}.toml is missing")
    try:
        return game.words(language)
    except TableeError as broken:
        raise Nonconformity(game, str(broken)) from None


def _require_words(game: Game, keys: Iterable[str]) -> None:
    required = list(keys)
    for language in checked_languages(game):
        words = _catalogue(game, language)
        missing = [key for key in required if key not in words or not words.say(key).strip()]
        if missing:
            raise Nonconformity(game, f"no words in {language!r} for {missing}")


def _parameters(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
