"""Files are complete or absent; leftovers of killed processes are removed; a full disk is reported and keeps the old file."""

import errno
import os
import subprocess
import sys

import pytest

from app.files import atomic_write
from app.files.atomic_write import TEMPORARY_MARK, leftovers, open_atomic, remove_leftovers, write


def test_writing_replaces_the_file_and_leaves_nothing_else(tmp_path):
    write(tmp_path / "new" / "a.txt", b"one")
    write(tmp_path / "new" / "a.txt", b"two")
    assert [(path.name, path.read_bytes()) for path in (tmp_path / "new").iterdir()] == [("a.txt", b"two")]


def test_an_exception_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    write(path, b"old")
    with pytest.raises(KeyboardInterrupt), open_atomic(path, "w", encoding="utf-8") as stream:
        stream.write("new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write(path, b"old")

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as told:
        write(path, b"new")
    assert told.value.filename == str(path)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full is Linux's")
def test_writing_to_a_full_device_fails(tmp_path):
    write(tmp_path / "a.txt", b"old")
    (tmp_path / "b.txt").symlink_to("/dev/full")
    with pytest.raises(OSError, match=r"a\.txt"), open_atomic(tmp_path / "a.txt") as stream, open("/dev/full", "wb", 0) as full:
        stream.write(b"new")
        full.write(b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"old"


def test_links_and_file_modes_are_kept(tmp_path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "a.txt", tmp_path / "a.txt"
    write(target, b"old", private=True)
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink() and target.read_bytes() == b"new"
    assert os.name == "nt" or target.stat().st_mode & 0o777 == 0o600


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(atomic_write.NoPlace, match="is a folder"):
        write(tmp_path, b"")


def test_leftovers_of_ended_processes_are_removed(tmp_path, monkeypatch):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    ours = leftovers(tmp_path / "a.txt")
    left = ours.with_name(ours.name.replace(f".{os.getpid()}-", f".{dead.pid}-"))
    far = ours.with_name(f".{dead.pid}-elsewhere-0{TEMPORARY_MARK}")
    for path in (ours, left, far, tmp_path / "a.txt", tmp_path / ".hidden"):
        path.write_bytes(b"1")
    remove_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {ours.name, far.name, "a.txt", ".hidden"}
    os.utime(far, (0.0, 0.0))
    remove_leftovers(tmp_path)
    assert not far.exists()
    left.write_bytes(b"1")
    monkeypatch.setattr(atomic_write, "_swept", set())
    write(tmp_path / "b.txt", b"2")
    assert not left.exists(), "who comes to a folder for the first time tidies it"
