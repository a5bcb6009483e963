"""Write build/requirements.txt: the exact packages of a server's image, with the hashes of their wheels.

    python tools/requirements.py [--machine x86_64] [--python 3.11]

The versions are those of constraints.txt; pip resolves them for the machine and Python of the image, from wheels alone,
and names no registry. `pip install --require-hashes` then refuses anything else (Dockerfile).
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "build" / "requirements.txt"
EXTRA = "server"
MANYLINUX = ("2_17", "2_24", "2_26", "2_27", "2_28")  # of glibc, up to that of the image


def wanted() -> list[str]:
    """Return the requirements of a server, as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"][EXTRA]]


def resolve(machine: str, python: str) -> list[dict[str, Any]]:
    """Return pip's report about the wheels that it would install."""
    platforms = [f"manylinux_{version}_{machine}" for version in MANYLINUX] + [f"manylinux2014_{machine}"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    command += ["--only-binary", ":all:", "--target", "unused", "--python-version", python, "--implementation", "cp"]
    command += [part for name in platforms for part in ("--platform", name)]
    command += ["--constraint", str(ROOT / "constraints.txt"), *wanted()]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    installed: list[dict[str, Any]] = json.loads(done.stdout)["install"]
    return installed


def lines(installed: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a line per package: name, version, hash."""
    for package in sorted(installed, key=lambda package: str(package["metadata"]["name"]).lower()):
        metadata, archive = package["metadata"], package["download_info"]["archive_info"]
        yield f"{metadata['name'].lower()}=={metadata['version']} --hash=sha256:{archive['hashes']['sha256']}"


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machine", default=platform.machine())
    parser.add_argument("--python", default="3.11")
    arguments = parser.parse_args()
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text("\n".join(lines(resolve(arguments.machine, arguments.python))) + "\n", encoding="utf-8")
    print(f"written: {TARGET.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
