"""A PostgreSQL of the tests' own: made in a temporary folder, reached over a Unix socket, gone afterwards."""

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
    """Return one of PostgreSQL's programs; Debian does not put all of them on the path."""
    found = shutil.which(name) or next(iter(sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), None)
    if found is None:
        raise RuntimeError(f"PostgreSQL's {name} is missing: install Debian's package postgresql (make test does)")
    return str(found)


class Postgres:
    """A cluster; `database()` makes an empty database in it and returns its address."""

    def __init__(self, *settings):
        self.folder = Path(tempfile.mkdtemp(prefix="tablee-postgres-", dir="/tmp"))
        self.account = self._unprivileged()
        self.run("initdb", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync", "-D", self.data)
        options = ["listen_addresses=''", f"unix_socket_directories='{self.folder}'", "max_connections=200", *settings]
        with (self.data / "postgresql.conf").open("a") as file:
            file.write("\n".join(options) + "\n")
        self.run("pg_ctl", "start", "-w", "-D", self.data, "-l", self.folder / "log")

    @property
    def data(self):
        return self.folder / "data"

    def _unprivileged(self):
        """PostgreSQL refuses to run as root."""
        if os.geteuid() != 0:
            return {}
        account = pwd.getpwnam("nobody")
        os.chown(self.folder, account.pw_uid, account.pw_gid)
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def run(self, program, *arguments):
        command = [find_program(program), *map(str, arguments)]
        quiet = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        done = subprocess.run(command, cwd=self.folder, check=False, **quiet, **self.account)
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr or done.stdout}")

    def database(self):
        import psycopg

        name = f"tablee_{next(_numbers)}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.address(name)

    def address(self, name):
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    def stop(self):
        self.run("pg_ctl", "stop", "-m", "immediate", "-D", self.data)
        shutil.rmtree(self.folder, ignore_errors=True)
