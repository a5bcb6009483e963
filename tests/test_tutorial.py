"""docs/tutorial.md, followed line by line: its commands run, and its game is tested, checked, played and served."""

import json
import os
import shlex
import signal
import subprocess
import sys
import tomllib

import pytest

import tutorial
from browser import fetch, free_port, wait_for_server

pytestmark = pytest.mark.xdist_group("tutorial")  # it is followed once


class Reader:
    """Follows the tutorial in a folder of their own; kernels are interpreted, so that nothing has to be compiled."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "LC_ALL": "C.UTF-8", "TABLEE_GAMES": ""}
        self.printed = {}  # what each command has printed
        self.server = None
        self.url = ""

    def follow(self, snippet):
        if snippet.file:
            tutorial.write(snippet, self.folder)
        elif snippet.language == "sh":
            for line in snippet.text.splitlines():
                self.run(line)

    def run(self, line, typed=""):
        """Run a line of the shell; a server is left running."""
        words = shlex.split(line.replace("$PWD", str(self.folder)))
        if words[0] == "export":
            self.environment |= dict([words[1].split("=")])
            return
        arguments = [sys.executable, "-m", *(word for word in words if "NUMBA" not in word)]
        if arguments[3] == "serve":
            self.serve(arguments)
            return
        done = subprocess.run(
            arguments, env=self.environment, cwd=self.folder, input=typed, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        self.printed[line] = done.stdout

    def serve(self, arguments):
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        command = [*arguments, "--port", str(port)]
        self.server = subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=subprocess.DEVNULL)
        wait_for_server(self.server, self.url)

    def get(self, path):
        return fetch(self.url + path)

    def stop(self):
        if self.server is not None:
            self.server.send_signal(signal.SIGINT)
            self.server.wait(60)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A reader who has done everything that the tutorial says."""
    reader = Reader(tmp_path_factory.mktemp("tutorial"))
    try:
        for snippet in tutorial.snippets():
            reader.follow(snippet)
        yield reader
    finally:
        reader.stop()


def test_the_template_conforms_and_the_game_does(reader):
    verdicts = [printed for line, printed in reader.printed.items() if "tablee check" in line]
    assert len(verdicts) == 2
    assert all(verdict.startswith("topple: no violation found.") for verdict in verdicts)


def test_the_tests_of_the_game_pass(reader):
    assert " passed" in reader.printed["NUMBA_DISABLE_JIT=1 pytest topple"]


def test_the_game_is_played(reader):
    moves = "".join(f"play {card}\n" for card in range(1, 21))
    line = "tablee play topple --seats 2 --seed 1 --plain --lang en --save game.tablee"
    reader.run(line, typed=moves * 6)
    assert "The cards: " in reader.printed[line]
    assert "The second deal is over." in reader.printed[line]


def test_the_server_has_this_game_alone_and_its_board(reader):
    """The board was written while the server ran."""
    (game,) = json.loads(reader.get("/api/games"))
    assert (game["name"], game["title"]) == ("topple", "Topple")
    assert "class extends Board" in reader.get(game["board"])
    assert ".topple-table" in reader.get(game["style"])


def test_the_package_has_the_entry_point():
    (text,) = [snippet.text for snippet in tutorial.snippets() if snippet.language == "toml" and not snippet.file]
    project = tomllib.loads(text)["project"]
    assert project["entry-points"]["tablee.games"] == {"topple": "topple"}


def test_every_file_of_the_game_is_written_or_kept(reader):
    """A file that the template gains must be considered in the tutorial."""
    written = {snippet.file for snippet in tutorial.snippets() if snippet.file}
    files = {str(path.relative_to(reader.folder)) for path in (reader.folder / "topple").rglob("*.*")}
    kept = {file for file in files - written if "__pycache__" not in file}
    assert kept == {"topple/moves.py", "topple/tests/__init__.py"}


def test_statements_are_replaced_added_and_deleted():
    source = '"""A module."""\n\nfrom a import b\n\nA = 1\nB = 2\n\n\ndef f():\n    return A\n\n\ndef g():\n    pass\n'
    snippet = "# delete: B, g\nfrom a import c\nfrom d import e\n\nC = 3\nA = 4\n\n\ndef h():\n    pass\n"
    assert tutorial.merged(source, snippet) == (
        '"""A module."""\n\nfrom a import c\nfrom d import e\n\nC = 3\n\nA = 4\n\n\n'
        "def f():\n    return A\n\n\ndef h():\n    pass\n"
    )
