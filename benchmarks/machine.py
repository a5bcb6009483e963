"""The commit, machine and versions that a benchmark ran with."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("tablee", "numba", "numpy", "open-spiel")


def description() -> dict[str, str]:
    """Return the commit, the machine and the versions of Python and packages."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "commit": commit(),
        "machine": f"{processor()}, {cores} cores, {platform.system()}",
        "python": platform.python_version(),
        **{name: installed(name) for name in PACKAGES},
    }


def commit() -> str:
    """Return the current commit, with a plus if the sources differ from it; `unknown` without git."""
    here = Path(__file__).parent
    if shutil.which("git") is None:
        return "unknown"
    head = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True, check=False
    )
    if head.returncode:
        return "unknown"
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "../src"], cwd=here, check=False).returncode
    return head.stdout.strip() + ("+" if changed else "")


def processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def installed(package: str) -> str:
    """Return the version of a package, `none` if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
