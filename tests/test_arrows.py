"""The check of import directions bites."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from arrows import offences


def test_the_package_is_as_designed():
    assert list(offences()) == []


@pytest.fixture
def package(tmp_path):
    for folder in ("cli", "core", "server", "games/chess", "games/go"):
        (tmp_path / folder).mkdir(parents=True)
    for game in ("chess", "go"):
        (tmp_path / "games" / game / "__init__.py").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "source", "offence"),
    [
        ("core/match.py", "from tablee.server import app", "core imports tablee.server"),
        ("core/match.py", "from tablee import server", "core imports tablee.server"),
        ("core/match.py", "def f():\n    import tablee.games.draughts", "core imports the game draughts"),
        ("core/match.py", "CHAMPION = 'Chess'", "names the game 'Chess'"),
        ("server/app.css", ".chess { color: red }", "names the game 'chess'"),
        ("games/chess/rules.py", "from tablee.games.go.rules import play", "a game imports tablee.games.go.rules"),
        ("games/chess/rules.py", "from tablee.records import Record", "a game imports tablee.records"),
    ],
)
def test_an_offence_is_found(package, file, source, offence):
    (package / file).write_text(source)
    assert any(offence in line for line in offences(package)), list(offences(package))


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("server/app.py", "from tablee.tables import decide\nfrom tablee.core.match import Match"),
        (
            "games/chess/rules.py",
            "from tablee.core.compilation import kernel\nfrom tablee.games.chess.state import STATE",
        ),
        ("cli/server.py", "from tablee.server import app"),
    ],
)
def test_what_is_allowed_passes(package, file, source):
    (package / file).write_text(source)
    assert list(offences(package)) == []
