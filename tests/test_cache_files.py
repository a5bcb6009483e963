"""The files of machine code: where they are, which are removed."""

import os
import tempfile
import time

import pytest

from tablee.core.cache_files import MAX_FOLDERS, MAX_UNUSED_SECONDS, MAX_VERSIONS, SUFFIX, open_folder, read, write
from tablee.core.cache_files import remove_unused as remove_unused_once

open_again = open_folder.__wrapped__  # as the next process does
remove_unused = remove_unused_once.__wrapped__


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Return the root of an empty cache."""
    monkeypatch.setenv("TABLEE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "kernels"


def age(path, seconds):
    """Let the last use of a file or folder be so long ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))


def names(folder):
    """Return the names of what is in a folder."""
    return {path.name for path in folder.iterdir()}


# Folders of versions


def test_a_folder_is_in_the_root_that_the_environment_names(root):
    assert open_again("one") == root / "one"
    assert (root / "one").is_dir()


def test_of_the_folders_of_other_versions_the_last_few_remain(root):
    for number, versions in enumerate(["first", "second", "third", "fourth", "fifth", "sixth"]):
        age(open_again(versions), 1000 - number)
    assert MAX_FOLDERS == 4
    assert names(root) == {"third", "fourth", "fifth", "sixth"}


def test_a_folder_in_use_is_not_the_oldest(root):
    for number, versions in enumerate(["first", "second", "third", "fourth"]):
        age(open_again(versions), 1000 - number)
    open_again("first")
    open_again("fifth")
    assert names(root) == {"first", "third", "fourth", "fifth"}


# Files


def test_what_was_written_is_read(root):
    path = open_again("one") / "module" / f"function-signature-version{SUFFIX}"
    assert read(path) is None
    write(path, b"code")
    assert read(path) == b"code"
    assert names(path.parent) == {path.name}


def test_of_one_function_and_signature_the_versions_used_last_remain(root):
    folder = open_again("one") / "module"
    paths = [folder / f"function-signature-{version}{SUFFIX}" for version in range(MAX_VERSIONS + 2)]
    others = [folder / f"function-other-1{SUFFIX}", folder / f"another-signature-1{SUFFIX}"]
    for path in [*others, *paths[:-2]]:
        write(path, b"code")
    for number, path in enumerate([*others, *paths[:-2]]):
        age(path, 1000 - number)
    read(paths[0])
    write(paths[-2], b"code")
    write(paths[-1], b"code")
    assert names(folder) == {path.name for path in [*others, paths[0], *paths[3:]]}


def test_files_that_have_not_been_used_for_long_are_removed(root):
    folder = open_again("one")
    kept, removed = (folder / "module" / f"{name}-1-1{SUFFIX}" for name in ("kept", "removed"))
    for path in (kept, removed):
        write(path, b"code")
    age(kept, MAX_UNUSED_SECONDS - 1000)
    age(removed, MAX_UNUSED_SECONDS + 1000)
    remove_unused(folder)
    assert names(folder / "module") == {kept.name}


# Where the root cannot be written to


@pytest.fixture
def unwritable(tmp_path, monkeypatch):
    """Make the root unusable (a file is in its place) and return an own folder for temporary files."""
    (tmp_path / "file").write_text("")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TABLEE_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary"


def test_without_a_writable_root_a_temporary_one_is_used(unwritable):
    folder = open_again("one")
    assert folder.is_dir()
    assert folder.parent.parent == unwritable
    assert open_again("one") == folder, "the same for the next process"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner here")
def test_a_temporary_root_of_another_user_is_not_used(unwritable, monkeypatch):
    prepared = open_again("one").parent
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    prepared.rename(prepared.with_name(f"tablee-kernels-{owner + 1}"))
    folder = open_again("one")
    assert folder.is_dir()
    assert folder.parent != prepared.with_name(f"tablee-kernels-{owner + 1}")
    assert folder.parent.parent == unwritable
