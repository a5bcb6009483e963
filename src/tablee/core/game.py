"""The manifest of a game: what is known without loading its rules."""

from __future__ import annotations

import importlib
import operator
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from tablee.core.errors import BadGame, BadSetup, did_you_mean
from tablee.core.languages import DEFAULT, find_language, languages

if TYPE_CHECKING:
    from tablee.core.kernels import Kernels
    from tablee.core.move_words import MoveWords
    from tablee.core.types import State
    from tablee.core.words import Words

RECHECK_SECONDS = 1.0  # after which a file of words that was read is looked at again

Value: TypeAlias = bool | int | str
Options: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True)
class Option:
    """A choice that the players make before the deal; its words are in the game's catalogues.

    A state stores it as a number (`code`): booleans as 1 and 0, integers as they are, strings by their index in
    `choices`.
    """

    name: str
    default: Value
    choices: tuple[Value, ...] = (False, True)
    clause: str = ""

    def __post_init__(self) -> None:
        if self.default not in self.choices:
            raise BadGame(f"option {self.name!r}: its default {self.default!r} is not among {self.choices}")
        if len({type(choice) for choice in self.choices}) != 1:
            raise BadGame(f"option {self.name!r}: its choices are of several types: {self.choices}")

    def code(self, value: Value) -> int:
        """Return the number that stands for a value in a state."""
        if type(value) is not type(self.default) or value not in self.choices:
            raise BadSetup(f"option {self.name!r} cannot be {show(value)}; it is one of {self._listed()}")
        return self.choices.index(value) if isinstance(value, str) else int(value)

    def value(self, code: int) -> Value:
        """Return the value that a number in a state stands for."""
        for choice in self.choices:
            if self.code(choice) == code:
                return choice
        raise BadSetup(f"option {self.name!r} has no value with the code {code}")

    def parse(self, text: str) -> Value:
        """Read a value as people write it: `on`, `5`, `ender`; raise BadSetup for an unknown one."""
        for choice in self.choices:
            if text.strip().lower() in _spellings(choice):
                return choice
        raise BadSetup(f"option {self.name!r} cannot be {text!r}; it is one of {self._listed()}")

    def _listed(self) -> str:
        return ", ".join(show(choice) for choice in self.choices)


def show(value: Value) -> str:
    """Write an option's value as people write it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _spellings(value: Value) -> tuple[str, ...]:
    if isinstance(value, bool):
        return ("on", "yes", "true", "1") if value else ("off", "no", "false", "0")
    return (str(value).lower(),)


@dataclass(frozen=True)
class Setup:
    """The number of seats, a value for every option, in the order of the manifest, and the reduction, if any."""

    seats: int
    options: Mapping[str, Value] = field(default_factory=dict)
    reduction: str = ""  # name of a `Reduction`; empty for the whole game

    def __str__(self) -> str:
        reduction = [f"reduction={self.reduction}"] if self.reduction else []
        options = (f"{name}={show(value)}" for name, value in self.options.items())
        return " ".join([f"seats={self.seats}", *reduction, *options])


@dataclass(frozen=True)
class Reduction:
    """A small version of a game for exact methods: the same rules from a small position (docs/reductions.md).

    The kernel `deal_<name>(state, number)` of the game's `reductions.py` deals it. Tables never play it.
    """

    name: str
    seats: int
    deals: int  # equally likely; their numbers 0 .. deals - 1 decide everything that chance decides
    max_moves: int  # a game is cut off here and scored as it stands
    options: Options = field(default_factory=dict, hash=False)  # that differ from the defaults

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or self.name != self.name.lower():
            raise BadGame(f"the name of a reduction is lower case letters, digits and underscores, not {self.name!r}")
        if self.deals < 1 or self.max_moves < 1:
            raise BadGame(
                f"reduction {self.name!r}: {self.deals} deals and {self.max_moves} moves; both are at least 1"
            )


MAX_ROUND_SCALE = 10_000  # points; rewards are exact while (seats - 1) * round_scale is below 2**17


@dataclass(frozen=True)
class Game:
    """A game, as the `__init__.py` of its folder declares it (docs/contract.md)."""

    name: str  # of its folder: lower case letters, digits, underscores
    version: int  # raised by every change of the rules, moves or deal
    seats: range  # possible numbers of seats
    usual_seats: int  # the default
    minutes: int  # that people take for a game
    moves: int  # moves are numbered 0 .. moves - 1
    max_legal_moves: int  # at any time
    max_game_length: int  # in moves
    score_bounds: tuple[int, int]  # lowest and highest score
    fewest_points_win: bool
    package: str  # of its modules: `__name__`
    options: tuple[Option, ...] = ()
    round_scale: int = 1  # points: being so far ahead in a round is a reward of 1 where rewards are by round
    utility: str = "ranks"  # what bots maximise and learners are rewarded for: "ranks" or "scores"
    compatible_versions: tuple[
        int, ...
    ] = ()  # earlier ones with the same deal and moves: what they stored is still read
    refuses_setup: Callable[[int, Options], str | None] = field(default=lambda seats, options: None)
    reductions: tuple[Reduction, ...] = ()  # small versions for exact methods

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or self.name != self.name.lower():
            raise BadGame(f"the name of a game is lower case letters, digits and underscores, not {self.name!r}")
        if self.usual_seats not in self.seats:
            raise BadGame(f"{self.name}: usual_seats={self.usual_seats} is not in {self.seats}")
        if type(self.round_scale) is not int or not 1 <= self.round_scale <= MAX_ROUND_SCALE:
            raise BadGame(
                f"{self.name}: round_scale is a whole number of points from 1 to {MAX_ROUND_SCALE}, "
                f"not {self.round_scale!r}"
            )
        if self.utility not in ("ranks", "scores"):
            raise BadGame(f"{self.name}: utility is 'ranks' or 'scores', not {self.utility!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_of, (self.package,)  # its functions cannot be pickled; another process imports it

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def reads(self, version: int) -> bool:
        """Return whether records and tables of a version of the rules can be replayed with this one."""
        return version == self.version or version in self.compatible_versions

    def option(self, name: str) -> Option:
        """Return the option of that name."""
        for option in self.options:
            if option.name == name:
                return option
        raise BadSetup(f"{self.name} has no option {name!r}; {did_you_mean(name, [o.name for o in self.options])}")

    def parse_options(self, texts: Iterable[str]) -> dict[str, Value]:
        """Read options written `name=value`; raise BadSetup for an unknown name or value."""
        chosen = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not equals:
                raise BadSetup(f"an option is written NAME=VALUE, not {text!r}")
            chosen[name.strip()] = self.option(name.strip()).parse(value)
        return chosen

    def reduction(self, name: str) -> Reduction:
        """Return the reduction of that name."""
        for reduction in self.reductions:
            if reduction.name == name:
                return reduction
        raise BadSetup(
            f"{self.name} has no reduction {name!r}; {did_you_mean(name, [r.name for r in self.reductions])}"
        )

    def setup(self, seats: int | None = None, options: Options | None = None, reduction: str = "") -> Setup:
        """Check the seats and options of a new match and fill in defaults; raise BadSetup if they are not possible.

        A reduction decides them: others are refused.
        """
        seats = _checked_types(seats, options, reduction)
        if reduction:
            return self._reduced_setup(self.reduction(reduction), seats, options or {})
        seats = self.usual_seats if seats is None else seats
        chosen = self._complete_options(options or {})
        why = self.refuses_setup(seats, chosen)
        if why is None and seats not in self.seats:
            why = f"it is for {self.seats.start} to {self.seats.stop - 1}"
        if why is not None:
            raise BadSetup(f"{self.name} cannot be played by {seats}: {why}")
        return Setup(seats, chosen)

    def _complete_options(self, options: Options) -> dict[str, Value]:
        """Return a checked value for every option, in the order of the manifest."""
        for name in options:
            self.option(name)
        chosen = {option.name: options.get(option.name, option.default) for option in self.options}
        for option in self.options:
            option.code(chosen[option.name])
        return chosen

    def _reduced_setup(self, reduction: Reduction, seats: int | None, options: Options) -> Setup:
        setup = self.setup(reduction.seats, reduction.options)
        if seats not in (None, setup.seats):
            raise BadSetup(f"the reduction {reduction.name!r} of {self.name} is for {setup.seats}, not {seats}")
        for name, value in self._complete_options({**setup.options, **options}).items():
            if value != setup.options[name]:
                needed = show(setup.options[name])
                raise BadSetup(
                    f"the reduction {reduction.name!r} of {self.name} has {name}={needed}, not {show(value)}"
                )
        return replace(setup, reduction=reduction.name)

    def parse_setup(self, text: str) -> Setup:
        """Read what `str(setup)` writes; what is left out has its default. Raise BadSetup for anything else."""
        words = dict(word.partition("=")[::2] for word in text.split())
        seats, reduction = words.pop("seats", None), words.pop("reduction", "")
        if seats is not None and not seats.isdecimal():
            raise BadSetup(f"seats={seats} is not a number of seats")
        options = self.parse_options(f"{name}={value}" for name, value in words.items())
        return self.setup(None if seats is None else int(seats), options, reduction)

    def setup_of(self, state: State) -> Setup:
        """Return the setup that a state was dealt with."""
        codes = zip(self.options, state.options, strict=False)
        return self.setup(int(state.seats), {option.name: option.value(int(code)) for option, code in codes})

    def option_index(self, name: str) -> int:
        """Return the index of an option in the `options` of a state."""
        return self.options.index(self.option(name))

    def setups(self) -> Iterator[Setup]:
        """Yield each possible number of seats with each combination of (representative values of) options."""
        names = [option.name for option in self.options]
        for seats in self.seats:
            for values in product(*(_representative_choices(option) for option in self.options)):
                chosen = dict(zip(names, values, strict=True))
                if self.refuses_setup(seats, chosen) is None:
                    yield Setup(seats, chosen)

    def reduced_setups(self) -> Iterator[Setup]:
        """Yield the setup of each reduction; `setups` leaves them out."""
        for reduction in self.reductions:
            yield self.setup(reduction=reduction.name)

    @cached_property
    def folder(self) -> Path:
        """The folder of the game."""
        file = importlib.import_module(self.package).__file__
        assert file is not None
        return Path(file).parent

    def module(self, name: str) -> Any:
        """Import one of the game's modules; raise BadGame if it is missing."""
        if name in self._modules:
            return self._modules[name]  # `import_module` takes longer, and every move asks for modules
        try:
            module = importlib.import_module(f"{self.package}.{name}")
        except ModuleNotFoundError as missing:
            if missing.name != f"{self.package}.{name}":
                raise
            raise BadGame(f"{self.name}: the contract requires {self.folder / name}.py") from None
        self._modules[name] = module
        return module

    @cached_property
    def _modules(self) -> dict[str, ModuleType]:
        """The modules that were imported, by name."""
        return {}

    @cached_property
    def kernels(self) -> Kernels:
        """The game's kernels; the first use imports NumPy and Numba."""
        from tablee.core.kernels import load

        return load(self)

    def languages(self) -> list[str]:
        """Return the codes of the languages that the game has words in, the default first."""
        return [code for code in languages() if self.words_path(code) is not None]

    def words(self, language: str) -> Words:
        """Return the catalogue of what people read; in the default language where the game lacks this one.

        Every view asks for it, so whether the file has changed is looked at once per second.
        """
        now = time.monotonic()
        words, read_at = self._read_words.get(language, (None, 0.0))
        if words is None or now - read_at > RECHECK_SECONDS:
            words = self._find_words(language)
            self._read_words[language] = words, now
        return words

    @cached_property
    def _read_words(self) -> dict[str, tuple[Words, float]]:
        """Catalogues by language, each with the time at which it was read or looked at."""
        return {}

    def _find_words(self, language: str) -> Words:
        from tablee.core.words import read_words

        for path in self._words_paths(language):
            with suppress(FileNotFoundError):
                return read_words(language, path)
        if language == DEFAULT:
            raise BadGame(f"{self.name}: the contract requires {self.folder / 'words' / DEFAULT}.toml")
        return self._find_words(DEFAULT)

    def move_words(self, language: str) -> MoveWords:
        """Return the words in which moves are typed in a language, besides their canonical text."""
        from tablee.core.move_words import read_move_words

        return read_move_words(self.words(language), getattr(self.module("view"), "typed_words", None))

    def rulebook(self, language: str) -> str:
        """Return the rules as people read them, in Markdown; in the default language where the game lacks this one."""
        path = self.rulebook_path(language) or self.rulebook_path(DEFAULT)
        if path is None:
            raise BadGame(f"{self.name}: the contract requires {self.folder / f'rules.{DEFAULT}.md'}")
        return path.read_text(encoding="utf-8")

    def words_path(self, language: str) -> Path | None:
        """Return the file with the game's words in a language, None if there is none."""
        return _existing(self._words_paths(language))

    def rulebook_path(self, language: str) -> Path | None:
        """Return the file with the game's rules in a language, None if there is none."""
        return _existing(self._text_paths(language, f"rules.{language}.md", "rules.md"))

    def _words_paths(self, language: str) -> tuple[str, str]:
        return self._text_paths(language, f"words/{language}.toml", "words.toml")

    def _text_paths(self, language: str, own: str, name: str) -> tuple[str, str]:
        """Return where a text may be: the game's own file first, then the one in the language's folder."""
        return f"{self.folder}/{own}", f"{find_language(language).folder}/games/{self.name}/{name}"


def _existing(paths: Iterable[str]) -> Path | None:
    return next((path for path in map(Path, paths) if path.is_file()), None)


def _game_of(package: str) -> Game:
    """Return the game that a package declares."""
    game: Game = importlib.import_module(package).GAME
    return game


def _checked_types(seats: Any, options: Any, reduction: Any) -> int | None:
    """Return the number of seats; raise BadSetup for arguments of `setup` that are of another type."""
    given = {} if options is None else options
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise BadSetup(f"options are a mapping of names to values, not {options!r}")
    if not isinstance(reduction, str):
        raise BadSetup(f"a reduction is given by its name, not by {reduction!r}")
    try:
        number = None if isinstance(seats, bool) or seats is None else operator.index(seats)
    except TypeError:
        number = None
    if number is None and seats is not None:
        raise BadSetup(f"the number of seats is a whole number, not {seats!r}")
    return number


MAX_CHOICES = 3  # of an option in `setups`


def _representative_choices(option: Option) -> tuple[Value, ...]:
    """Return all choices of an option if there are few, else the first, the default and the last."""
    if len(option.choices) <= MAX_CHOICES:
        return option.choices
    return tuple(dict.fromkeys((option.choices[0], option.default, option.choices[-1])))
