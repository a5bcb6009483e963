"""A PostgreSQL server for tests, in a temporary folder, reached over a Unix socket and deleted afterwards."""

import os
import pwd
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

USER = "tablee"
_numbers = count(1)


def find_program(name):
    """Return the path of one of PostgreSQL's programs; Debian does not put all of them on PATH."""
    found = shutil.which(name) or next(iter(sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), None)
    if found is None:
        raise RuntimeError(f"PostgreSQL's {name} is missing: run `make system-packages`")
    return str(found)


class Postgres:
    """A cluster; `database()` creates an empty database in it and returns its URL."""

    def __init__(self, *settings):
        self.folder = Path(tempfile.mkdtemp(prefix="tablee-postgres-", dir="/tmp"))
        self.account = self._unprivileged_account()
        self.run("initdb", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync", "-D", self.data)
        options = ["listen_addresses=''", f"unix_socket_directories='{self.folder}'", "max_connections=200", *settings]
        with (self.data / "postgresql.conf").open("a") as file:
            file.write("\n".join(options) + "\n")
        self.run("pg_ctl", "start", "-w", "-D", self.data, "-l", self.folder / "log")

    @property
    def data(self):
        return self.folder / "data"

    def _unprivileged_account(self):
        """Return the account to run as, for subprocess: PostgreSQL refuses to run as root."""
        if os.geteuid() != 0:
            return {}
        account = pwd.getpwnam("nobody")
        os.chown(self.folder, account.pw_uid, account.pw_gid)
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def run(self, program, *arguments):
        command = [find_program(program), *map(str, arguments)]
        streams = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        done = subprocess.run(command, cwd=self.folder, check=False, **streams, **self.account)
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr or done.stdout}")

    def database(self):
        import psycopg

        name = f"tablee_{next(_numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, name):
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    def stop(self):
        self.run("pg_ctl", "stop", "-m", "immediate", "-D", self.data)
        shutil.rmtree(self.folder, ignore_errors=True)
