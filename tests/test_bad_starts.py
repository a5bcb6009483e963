"""`tablee serve` that goes wrong: one sentence and exit code 2, nothing opened, nothing left running."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import uvicorn

from browser import free_port
from server_process import PATIENCE
from tablee import cli
from tablee.core.errors import BadSetup
from tablee.server.launcher import listening_socket
from tablee.server.settings import Settings, known_variables
from tablee.storage import Store, StoreError
from tablee.storage.backup import back_up
from tablee.storage.lock import exclusive

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def private_umask():
    """Undo what commands do to this process."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def start(monkeypatch, capsys, tmp_path):
    """Run `tablee serve` in this process, which must not get as far as serving; return what it says on stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")

    def never(*_):
        raise AssertionError("it serves")

    def run(*arguments, command="serve", **environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(uvicorn.Server, "run", never)
        port = ["--port", str(free_port())] if command == "serve" else []
        monkeypatch.setattr(sys, "argv", ["tablee", command, *map(str, arguments), *port])
        with pytest.raises(SystemExit) as end:
            cli.main()
        said = capsys.readouterr()
        assert end.value.code == 2
        assert said.out == ""
        assert re.fullmatch(r"tablee: [^\n]+\n", said.err), said.err
        return said.err

    return run


# Settings


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("TABLEE_COMMAND_RATE", "abc", "TABLEE_COMMAND_RATE=abc is not a number"),
        ("TABLEE_COMMAND_RATE", "nan", "must be more than 0"),
        ("TABLEE_BOT_THREADS", "0", "TABLEE_BOT_THREADS=0 is not possible: it must be more than 0"),
        ("TABLEE_BOT_THREADS", "1.5", "is not a whole number"),
        ("TABLEE_BOT_PAUSE", "-1", "must be at least 0"),
        ("TABLEE_COMAND_RATE", "3", "did you mean TABLEE_COMMAND_RATE?"),
        ("TABLEE_WEATHER", "3", "is no setting of Tablée; docs/hosting.md lists them"),
        ("TABLEE_STATUS", "9100", "is not HOST:PORT"),
        ("TABLEE_ADDRESS", "tablee.example", "TABLEE_ADDRESS=tablee.example is not a URL such as https://"),
        ("TABLEE_ADDRESS", "https://tablee.example:port", "is not a URL such as https://"),
        ("TABLEE_WEBHOOK", "hooks.example/hunter2", "TABLEE_WEBHOOK is not a URL such as https://"),
        ("TABLEE_HOSTS", "http://tablee.example", "is not possible: it must be names separated by"),
        ("TABLEE_COMPILER", "gcc", "TABLEE_COMPILER=gcc is not possible: it must be background"),
        ("TABLEE_ONLY", "skyjo,chess", "there is no game 'chess'"),
        ("TABLEE_GAMES", "missing", "TABLEE_GAMES names missing, which is not a folder"),
        ("TABLEE_NETWORKS", "missing", "TABLEE_NETWORKS names missing, which is not a folder"),
        ("TABLEE_BOTS", "missing.toml", "the list of external bots in missing.toml (TABLEE_BOTS) cannot be used"),
        ("TABLEE_DATABASE_FILE", "missing", "TABLEE_DATABASE_FILE=missing cannot be read: No such file"),
        ("TABLEE_DATABASE", "mysql://root:hunter2@db/tablee", "mysql:// is not a database that Tablée can use"),
        ("TABLEE_DATABASE", "postgresql://me:hunter2@db:port/x", "the URL of the database cannot be read"),
        ("TABLEE_DATABASE", "missing/tablee.db", "check that the database's folder exists"),
    ],
)
def test_a_bad_setting_is_one_sentence(start, tmp_path, name, value, sentence):
    said = start(**{name: value})
    assert sentence in said
    assert "hunter2" not in said
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".db"]


def test_languages_that_are_missing_are_one_sentence():
    """They are read before there is a command."""
    command = [sys.executable, "-m", "tablee", "serve"]
    environment = {**os.environ, "TABLEE_LANGUAGES": "missing"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "tablee: TABLEE_LANGUAGES names missing, which is not a folder\n"


def test_secrets_can_be_in_files(tmp_path):
    (tmp_path / "url").write_text("postgresql://me:pass@db/tablee\n")
    (tmp_path / "secret").write_text("s3cret\n")
    files = {"TABLEE_DATABASE_FILE": str(tmp_path / "url"), "TABLEE_SECRET_FILE": str(tmp_path / "secret")}
    settings = Settings.from_environment(files)
    assert (settings.database, settings.secret) == ("postgresql://me:pass@db/tablee", "s3cret")
    with pytest.raises(BadSetup, match="both TABLEE_SECRET and TABLEE_SECRET_FILE"):
        Settings.from_environment({**files, "TABLEE_SECRET": "another"})
    (tmp_path / "secret").write_text("\n")
    with pytest.raises(BadSetup, match="is empty"):
        Settings.from_environment(files)


def test_every_variable_in_the_sources_is_known_and_those_of_kubernetes_are_no_mistake():
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/tablee").rglob("*.py"))
    used = set(re.findall(r'"(TABLEE_[A-Z_]*[A-Z])"', sources))
    assert used <= known_variables()
    kubernetes = {
        "TABLEE_SERVICE_HOST": "10.0.0.1",
        "TABLEE_PORT": "tcp://10.0.0.1:80",
        "TABLEE_PORT_80_TCP_PORT": "80",
    }
    assert Settings.from_environment(kubernetes) == Settings()


# Databases


def damaged_database(path):
    """Make a database whose settings, with the secret, are on a page that SQLite cannot read; return the secret."""
    store = Store(str(path))
    store.open()
    secret = store.secret()
    store.close()
    content = bytearray(path.read_bytes())
    page = content.index(secret.encode()) // 4096
    content[page * 4096 : page * 4096 + 12] = b"\xff" * 12
    path.write_bytes(content)
    return secret


def test_a_damaged_database_is_named_and_its_secret_is_not(start, tmp_path):
    secret = damaged_database(tmp_path / "tablee.db")
    said = start()
    assert "the database tablee.db cannot be used" in said
    assert "restore a backup" in said
    assert secret not in said
    assert "SELECT" not in said and "INSERT" not in said  # noqa: PT018


def test_a_file_that_is_no_database(start, tmp_path):
    (tmp_path / "tablee.db").write_text("Dear diary," * 1000)
    assert "file is not a database; it is something else, or damaged" in start()


def test_a_database_of_a_later_version(start, tmp_path):
    store = Store(str(tmp_path / "tablee.db"))
    store.open()
    store.close()
    with sqlite3.connect(tmp_path / "tablee.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    assert "schema 9999, this version of Tablée knows none after" in start()


def test_a_second_server_on_one_file(start, tmp_path):
    with exclusive(str(tmp_path / "tablee.db")):
        assert f"another server (process {os.getpid()}) uses tablee.db; stop it, or name another file" in start()
    with exclusive(str(tmp_path / "tablee.db")):
        pass


def test_a_second_server_by_another_name_of_the_file(start, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link.db").symlink_to(tmp_path / "tablee.db")
    with exclusive(str(tmp_path / "tablee.db")):
        assert "another server" in start("--database", "elsewhere/link.db")


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "folder").mkdir(mode=0o555)
    database = tmp_path / "folder" / "tablee.db"
    (tmp_path / "folder" / "tablee.db").mkdir()  # root can write everywhere, but not into a folder as a file
    with pytest.raises(StoreError, match="unable to open database file; check that its folder exists and can be"):
        Store(str(database)).open()


def test_an_interface_can_be_an_ipv6_address():
    with listening_socket("::1", 0) as listener:
        socket.create_connection(listener.getsockname()[:2], PATIENCE).close()


def test_an_address_for_health_that_is_taken(start):
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        assert f"every port of TABLEE_STATUS={address} is in use" in start(TABLEE_STATUS=address)


@pytest.mark.parametrize("command", ["backup", "export"])
def test_reading_a_mistyped_database_is_an_error_and_creates_nothing(start, tmp_path, command):
    said = start("copy.db", "--database", "tabelee.db", command=command)
    assert "there is no database tabelee.db" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["backup", "export", "restore"])
def test_reading_another_database_is_an_error_and_changes_nothing(start, tmp_path, command):
    with sqlite3.connect(tmp_path / "diary.db") as connection:
        connection.execute("CREATE TABLE pages (text TEXT)")
    connection.close()
    names = ("diary.db", "copy.db") if command == "restore" else ("copy.db", "diary.db")
    assert re.search(
        "diary.db (has|is no backup: it has) no tables", start(names[0], "--database", names[1], command=command)
    )
    with sqlite3.connect(tmp_path / "diary.db") as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("pages",)]
    connection.close()
    assert {path.name for path in tmp_path.iterdir()} - {"copy.db.lock"} == {"diary.db"}


def test_a_backup_that_fails_leaves_no_file(tmp_path):
    damaged_database(tmp_path / "tablee.db")
    with pytest.raises(StoreError, match="malformed"):
        back_up(str(tmp_path / "tablee.db"), tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


# Modes of files


def mode(path):
    return path.stat().st_mode & 0o777


def test_databases_and_backups_are_private(tmp_path):
    path = tmp_path / "tablee.db"
    path.touch(mode=0o644)  # as earlier versions left it
    store = Store(str(path))
    store.open()
    assert {mode(file) for file in tmp_path.iterdir()} == {0o600}
    assert len(list(tmp_path.iterdir())) == 3  # with -wal and -shm
    back_up(str(path), tmp_path / "copy.db")
    assert mode(tmp_path / "copy.db") == 0o600
    store.close()


# Processes


class Served:
    """`tablee serve` in a process of its own, interpreted."""

    def __init__(self, folder, *arguments):
        self.port = free_port()
        command = [sys.executable, "-m", "tablee", "serve", "--port", str(self.port), *map(str, arguments)]
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "LC_ALL": "C"}
        self.errors = folder / "errors"
        with self.errors.open("w") as errors:
            pipes = {"stdout": subprocess.PIPE, "stderr": errors, "text": True}
            self.process = subprocess.Popen(command, env=environment, cwd=folder, **pipes)

    def lines(self):
        """Return what it has logged."""
        return [json.loads(line) for line in self.errors.read_text().splitlines()]

    def children(self):
        """Return the ids of its child processes."""
        return [
            int(child)
            for child in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        ]

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def serve(tmp_path):
    servers = []

    def run(*arguments):
        servers.append(Served(tmp_path, *arguments))
        return servers[-1]

    yield run
    for server in servers:
        server.stop()


def is_running(process):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


def wait_until_ended(*processes):
    deadline = time.monotonic() + PATIENCE
    while any(map(is_running, processes)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_tables_are_open_when_it_says_so_and_nothing_but_json_is_logged(serve, tmp_path):
    server = serve("skyjo")
    assert "Tables are open" in server.process.stdout.readline()
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/api/games", timeout=PATIENCE) as response:
        assert response.status == 200
    status = server.lines()[0]["status"]
    assert status.startswith("127.0.0.1:")
    with urllib.request.urlopen(f"http://{status}/healthz", timeout=PATIENCE) as response:
        assert json.load(response) == {"status": "ready"}
    private = [path for path in tmp_path.iterdir() if path.name.startswith("tablee.db")]
    assert len(private) == 4  # with -wal, -shm and .lock
    assert {mode(path) for path in private} == {0o600}
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(PATIENCE) == 0
    assert [line["message"] for line in server.lines()] == ["open", "closed"]


def test_workers_end_when_their_supervisor_is_killed(serve, postgres):
    server = serve("skyjo", "--workers", "2", "--database", postgres.database())
    assert "Tables are open" in server.process.stdout.readline()
    children = server.children()
    assert len(children) >= 2
    server.process.kill()
    wait_until_ended(*children)
    with socket.create_server(("127.0.0.1", server.port)):
        pass  # the port is free for the next start
    assert {line["message"] for line in server.lines()} <= {"open", "closed", "the supervisor has died"}


COMPILE = """
import sys, time
from tablee.cli.server import _start_compiler
print(_start_compiler(["xylo"], "en").pid, flush=True)
time.sleep(1000)
"""


def test_the_compiling_process_ends_with_the_server_however_that_ends(tmp_path):
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0", "TABLEE_CACHE": str(tmp_path), "LC_ALL": "C"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen([sys.executable, "-c", COMPILE], env=environment, **pipes) as server:
        compiler = int(server.stdout.readline())
        assert is_running(compiler)
        server.kill()
    wait_until_ended(compiler)


LOGGED = """
import sys
from tablee import cli
from tablee.core.registry import find_game
from tablee.server import warmup

def compile_games(games, bar_for):
    for game, error in zip(games, ("", "two\\nlines")):
        with bar_for(game) as show:
            show(1, 2)
        yield game, error

warmup.compile_games = compile_games
sys.argv = ["tablee", "prepare", "skyjo", "xylo", "--attached"]
cli.main()
"""


def test_the_compiling_process_of_a_server_logs_nothing_but_json():
    with subprocess.Popen(
        [sys.executable, "-c", LOGGED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as compiler:
        errors = compiler.stderr.read()
        assert compiler.wait() == 0
    lines = [json.loads(line) for line in errors.splitlines()]
    assert [(line["message"], line["game"]) for line in lines] == [
        ("compiling", "skyjo"),
        ("compiled", "skyjo"),
        ("compiling", "xylo"),
        ("not compiled", "xylo"),
    ]
    assert (lines[-1]["level"], lines[-1]["why"]) == ("error", "two\nlines")
