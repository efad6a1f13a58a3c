from __future__ import annotations

import os
from pathlib import Path

import pytest

from caesar_core.store.atomic import StoreError
from caesar_core.store.tail import Tail


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_a_missing_file_reads_as_empty_and_may_come_later(path: Path) -> None:
    tail = Tail(path)
    assert tail.read().lines == []
    append(path, b"a\n")
    found = tail.read()
    assert (found.lines, found.start, found.offset, found.reset) == ([b"a"], 0, 2, False)


def test_a_half_line_waits_and_offsets_are_resumable(path: Path) -> None:
    tail = Tail(path)
    append(path, b"one\ntw")
    assert (tail.read().lines, tail.offset) == ([b"one"], 4)
    append(path, b"o\r\n\nend")
    found = tail.read()
    assert (found.lines, found.start, found.offset) == ([b"two", b""], 4, 10)
    append(path, b"\n")
    assert Tail(path, found.offset).read().lines == tail.read().lines == [b"end"]


def test_bytes_read_are_bytes_appended(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, opened = 0, 0
    pread, open_file = os.pread, os.open

    def counting_pread(descriptor: int, size: int, offset: int) -> bytes:
        nonlocal read
        data = pread(descriptor, size, offset)
        read += len(data)
        return data

    def counting_open(*args: object, **more: object) -> int:
        nonlocal opened
        opened += 1
        return open_file(*args, **more)  # type: ignore[arg-type]

    append(path, b"x" * 99_999)
    tail = Tail(path)
    monkeypatch.setattr(os, "pread", counting_pread)
    monkeypatch.setattr(os, "open", counting_open)
    for _ in range(10):
        tail.read()
        tail.read()
    assert (read, opened) == (99_999, 1)


def test_a_read_is_bounded_and_says_that_there_is_more(path: Path) -> None:
    append(path, b"12\n" * 10)
    tail = Tail(path)
    first = tail.read(limit=7)
    assert (first.lines, first.offset, first.more) == ([b"12", b"12"], 6, True)
    second = tail.read(limit=100)
    assert (len(second.lines), second.more) == (8, False)


def test_a_truncated_file_begins_anew(path: Path) -> None:
    append(path, b"a long first version\nhalf")
    tail = Tail(path)
    tail.read()
    path.write_bytes(b"b\n")
    found = tail.read()
    assert (found.lines, found.start, found.offset, found.reset) == ([b"b"], 0, 2, True)
    assert not tail.read().reset


def test_a_replaced_file_begins_anew_even_when_longer(path: Path, tmp_path: Path) -> None:
    append(path, b"a\n")
    tail = Tail(path)
    tail.read()
    (tmp_path / "new").write_bytes(b"b\nc\n")
    (tmp_path / "new").rename(path)
    found = tail.read()
    assert (found.lines, found.reset) == ([b"b", b"c"], True)


def test_a_checkpoint_beyond_the_end_begins_anew(path: Path) -> None:
    append(path, b"a\n")
    found = Tail(path, 1_000).read()
    assert (found.lines, found.reset) == ([b"a"], True)


def test_a_line_beyond_the_cap_is_cut_marked_and_not_kept(path: Path) -> None:
    append(path, b"0123456789abcdef" * 100 + b"\nok\n")
    tail = Tail(path, cap=10)
    found = tail.read(limit=500)
    assert found.lines == []
    assert len(tail._partial) == 10
    found = tail.read(limit=5_000)
    assert found.lines == [b"0123456789 [cut: 1590 bytes]", b"ok"]
    assert (found.cut, found.start, found.offset) == (1, 0, 1604)


def test_what_is_no_file_is_refused(path: Path, tmp_path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(StoreError, match="not a regular file"):
        Tail(path).read()
    path.unlink()
    path.symlink_to(tmp_path / "other")
    with pytest.raises(StoreError, match="symbolic link"):
        Tail(path).read()
