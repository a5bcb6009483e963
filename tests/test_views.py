"""What is drawn: structures that the module `dataclasses` knows, and what is kept with the names of a table."""

import dataclasses
import sys

import pytest

from tablee import Match, all_games
from tablee.core.view import MAX_DRAWN_WITH_NAMES, Choice, Names, Piece, View, Zone, drawn_with_names, with_typed


def test_the_module_dataclasses_works_on_what_is_drawn():
    piece = Piece("a", "label", face="7")
    assert dataclasses.is_dataclass(piece)
    assert [field.name for field in dataclasses.fields(Zone)][:3] == ["id", "kind", "label"]
    assert dataclasses.replace(piece, marks=("last",)) == Piece("a", "label", "7", marks=("last",))
    assert dataclasses.asdict(Zone("z", "row", "", (piece,)))["pieces"][0]["face"] == "7"
    with pytest.raises(AttributeError):
        piece.face = "8"


def test_every_view_has_facts_of_its_own():
    first, second = (View("game", 0, 2, 0, "", (), ()) for _ in range(2))
    first.facts["a"] = 1
    assert second.facts == {}


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_the_values_of_a_sight_are_the_fields_of_its_state(game):
    sight = Match(game, seed=3).sight(0)
    for name in game.kernels.state_type.names:
        expected, found = sight.state[name], getattr(sight.values, name)
        assert str(expected.tolist()) == str(found if isinstance(found, int | tuple) else found.tolist())


def test_what_is_drawn_with_names_is_kept_with_them():
    calls = []

    @drawn_with_names
    def greeting(names, number):
        calls.append(number)
        return [names[0], number]

    names = Names(["Ana", "Ben"])
    assert greeting(names, 1) is greeting(names, 1)
    assert greeting(["Ana", "Ben"], 1) is not greeting(["Ana", "Ben"], 1)
    assert greeting(Names(["Cleo"]), 1) == ["Cleo", 1]
    for number in range(2 * MAX_DRAWN_WITH_NAMES):
        greeting(names, number)
    assert len(names.drawn) <= MAX_DRAWN_WITH_NAMES
    assert calls[:3] == [1, 1, 1]


def test_named_arguments_tell_what_is_drawn_with_names_apart():
    @drawn_with_names
    def greeting(names, *, loud=False):
        return names[0].upper() if loud else names[0]

    names = Names(["Ana"])
    assert [greeting(names), greeting(names, loud=True), greeting(names)] == ["Ana", "ANA", "Ana"]


def test_a_label_is_not_kept_when_a_choice_gets_its_typed_text():
    label = "".join(["Accuse ", "Ana"])  # a string of its own
    view = View("game", 0, 2, 0, "", (), (), (Choice(0, "accuse", label, ()),))
    references = sys.getrefcount(label)
    assert with_typed(view, {"accuse": "accuser"}.__getitem__).choices[0].typed == "accuser"
    assert sys.getrefcount(label) == references


def test_another_name_is_drawn_again_and_the_old_one_forgotten():
    game = all_games()[0]
    others = [f"Guest {number}" for number in range(1, game.usual_seats)]
    match = Match(game, seed=3, players=["Ana", *others])
    assert "Ana" in str(match.view(0))
    renamed = match.copy()
    renamed.players = ["Cleo", *others]
    assert "Ana" not in str(renamed.view(0))
    assert "Ana" in str(match.view(0))
    match.forget_drawn()
    assert not match._named[1]
