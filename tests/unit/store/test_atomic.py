from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from caesar_core.store.atomic import (
    StoreError,
    create_exclusive,
    read_bounded,
    read_json,
    write_atomic,
)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let writes fail in the middle, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_write_replaces_and_makes_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    write_atomic(path, b"one")
    write_atomic(path, b"two", durable=False)
    assert path.read_bytes() == b"two"
    assert [p.name for p in path.parent.iterdir()] == ["file"]


def test_110_an_open_reader_keeps_the_version_it_opened(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")
    with path.open("rb") as reader:
        write_atomic(path, b"new and longer")
        assert reader.read() == b"old"


def test_g28_a_full_disk_keeps_the_old_version_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")
    with files_of_at_most(1_000), pytest.raises(StoreError, match=r"Cannot write .*file"):
        write_atomic(path, b"x" * 5_000)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_parent_that_is_a_file_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError):
        write_atomic(tmp_path / "file" / "x", b"")
    with pytest.raises(StoreError):
        create_exclusive(tmp_path / "file" / "x", b"")


def test_109_the_first_creation_wins(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "file"
    assert create_exclusive(path, b"first")
    assert not create_exclusive(path, b"second")
    assert path.read_bytes() == b"first"
    assert [p.name for p in path.parent.iterdir()] == ["file"]


def test_a_dangling_link_counts_as_there(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert not create_exclusive(tmp_path / "link", b"x")
    write_atomic(tmp_path / "link", b"x")
    assert not (tmp_path / "elsewhere").exists()
    assert not (tmp_path / "link").is_symlink()


def test_x6_hostile_documents_are_refused_not_followed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "huge").write_bytes(b"")
    os.truncate(tmp_path / "huge", 500 << 20)
    for name, reason in (
        ("fifo", "not a regular file"),
        ("link", "symbolic link"),
        (".", "not a regular file"),
        ("huge", "has 524 MB, more than 100 B"),
    ):
        with pytest.raises(StoreError, match=reason):
            read_bounded(tmp_path / name, 100)
    with pytest.raises(StoreError, match="not a regular file"):
        read_bounded(Path("/dev/zero"), 100)


def test_the_limit_is_inclusive_and_a_missing_file_is_missing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    assert len(read_bounded(tmp_path / "file", 100)) == 100
    with pytest.raises(StoreError):
        read_bounded(tmp_path / "file", 99)
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "none", 100)


def test_a_bad_document_is_named_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_bytes(b'{"a": 1, "a": 2}')
    with pytest.raises(StoreError, match=r"r\.json: the key 'a' is given twice"):
        read_json(tmp_path / "r.json", 100)
