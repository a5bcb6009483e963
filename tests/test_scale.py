"""Three hosts on one PostgreSQL behind nginx, under load, where this machine allows network namespaces."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[1] / "benchmarks" / "scale.py"
PHASES = ["quiet", "rolling restart of all hosts", "a host crashes", "a host is cut off"]
# In namespaces of their own, hosts of several runs do not meet, and nothing of them is left over.
PREPARE = 'mkdir -p /run/netns && mount -t tmpfs hosts /run/netns && ip link set lo up && exec "$@"'
ISOLATED = ["unshare", "--net", "--mount", "sh", "-c", PREPARE, "sh"]
TRY = "ip netns add one && ip link add bridge1 type bridge && ip link add end1 type veth peer name end2 netns one"


def may_make_hosts():
    """Whether nginx is installed, and namespaces with links between them are allowed."""
    if not shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin") or not shutil.which("unshare"):
        return False
    return subprocess.run([*ISOLATED, "sh", "-c", TRY], capture_output=True, check=False).returncode == 0


def test_nothing_is_lost_when_hosts_are_restarted_crash_and_are_cut_off():
    """The program compares every acknowledged move with the database, and waits until every table goes on."""
    if not may_make_hosts():
        pytest.skip("network namespaces are not allowed; `make scale` needs root")
    command = [*ISOLATED, sys.executable, str(PROGRAM), "--tables", "4", "--seconds", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["what"] for line in lines] == [*PHASES, "acknowledged moves, all in the database once"]
    assert [line["losses"] > 0 for line in lines[:-1]] == [False, True, True, True]
    assert lines[-1]["moves"] >= sum(line["moves"] for line in lines[:-1])
