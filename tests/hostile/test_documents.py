"""Whatever stands where a document is expected: an answer or a clear refusal, at once.

Cases 20, 111, 112, X6, R2 for their whole kind: every reader against every sort of nonsense.
"""

from __future__ import annotations

import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesar_core.errors import CaesarError
from tests.hostile.readers import READERS, RECORD, Reader, _bytes

DEEP = 100_000
DOCUMENTS = {
    "nothing": b"",
    "blank": b" \n\t",
    "nul": b"\0" * 100,
    "not utf-8": b'{"id": "\xff\xfe"}',
    "utf-16": '{"id": "t_1"}'.encode("utf-16"),
    "half": b'{"id": "t_1", "agent": ',
    "deep list": b"[" * DEEP + b"]" * DEEP,
    "deep object": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deep in a value": b'{"id":"t_1","agent":"x","extra":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "open": b"[" * 4000,
    "nan": b'{"id": "t_1", "agent": "x", "deadline": NaN, "offset": NaN}',
    "infinity": b'{"id": "t_1", "agent": "x", "deadline": 1e999, "stdout": 1e999}',
    "minus": b'{"stdout": -1, "stderr": -5, "raw": -7, "events": -9, "offset": -3}',
    "long number": b'{"offset": ' + b"9" * 5000 + b', "pid": ' + b"9" * 5000 + b"}",
    "large number": b'{"offset": 1e300, "pid": 99999999999999999999, "agentLimit": 1e300}',
    "twice": b'{"id": "t_1", "agent": "x", "id": "t_2"}',
    "surrogate": b'{"id": "t_1", "agent": "\\ud800", "question": "\\udfff", "key": "\\ud800"}',
    "surrogate key": b'{"\\ud800": 1, "id": "t_1", "agent": "x"}',
    "list": b"[1, 2, 3]",
    "text": b'"t_1"',
    "null": b"null",
    "true": b"true",
    "wrong types": b'{"id": [], "agent": {}, "status": 1, "end": [], "task_ids": "x", "argv": 1}',
    "wrong list": b'{"version": 1, "root": 1, "stage": [], "entries": [[], {"old": 1}]}',
    "wrong parts": b'{"end": {"status": [], "x": 1}, "entries": [1], "version": 1, "argv": 3}',
    "prototype": b'{"__class__": "x", "__init__": {}, "self": 1, "cls": 2}',
    "bom": b"\xef\xbb\xbf{}",
    "toml bomb": b"a" + b".a" * 3000 + b" = 1\n",
    "toml deep": b"x = " + b"[" * 3000 + b"]" * 3000,
    "toml twice": b"[policy]\n[policy]\n",
    "other id": b'{"id": "../../etc/passwd", "agent": "x", "task_id": "../x"}',
}
PARAMETERS = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with one record, for readers that look at the record first."""
    record = next(reader for reader in READERS if reader.name == "record")
    put(record, tmp_path, _bytes(RECORD))
    return tmp_path


def put(reader: Reader, root: Path, data: bytes) -> Path:
    place = reader.place(root)
    place.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(place):
        place.unlink()
    place.write_bytes(data)
    return place


def read(reader: Reader, root: Path) -> None:
    """Read; anything but an answer, a refusal of ours or `FileNotFoundError` is a defect."""
    with suppress(CaesarError, FileNotFoundError):
        reader.read(root)


@contextmanager
def at_once(seconds: int = 5) -> Iterator[None]:
    """Fail instead of waiting for ever, also inside of a system call."""

    def stop(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@PARAMETERS
def test_a_good_document_is_read(reader: Reader, root: Path) -> None:
    put(reader, root, reader.good)
    reader.read(root)


@PARAMETERS
def test_x6_nonsense_is_refused_or_ignored(reader: Reader, root: Path) -> None:
    """Cases X6, 112, 20."""
    for data in DOCUMENTS.values():
        put(reader, root, data)
        with at_once():
            read(reader, root)


@PARAMETERS
def test_r2_a_document_cut_anywhere_is_no_defect(reader: Reader, root: Path) -> None:
    for size in range(len(reader.good)):
        put(reader, root, reader.good[:size])
        read(reader, root)


@PARAMETERS
def test_x6_what_is_no_file_is_neither_followed_nor_waited_for(reader: Reader, root: Path) -> None:
    """Links (to devices, to themselves, out of the project), FIFOs, sockets, folders."""
    place = put(reader, root, b"")
    secret = root / "secret"
    secret.write_bytes(reader.good)

    def fresh() -> None:
        with suppress(FileNotFoundError):
            place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()

    makers: list[Callable[[], object]] = [
        lambda: os.mkfifo(place),
        place.mkdir,
        lambda: place.symlink_to("/dev/zero"),
        lambda: place.symlink_to(place),
        lambda: place.symlink_to(secret),
        lambda: place.symlink_to(root / "nowhere"),
    ]
    for make in makers:
        fresh()
        make()
        kind = stat.S_IFMT(place.lstat().st_mode)
        with at_once():
            read(reader, root)
        assert stat.S_IFMT(place.lstat().st_mode) == kind, "it was put right by a reader"
    fresh()


@PARAMETERS
def test_x6_a_socket_is_not_read(
    reader: Reader, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = put(reader, root, b"")
    place.unlink()
    monkeypatch.chdir(place.parent)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(place.name)
        with at_once():
            read(reader, root)
    place.unlink()


@PARAMETERS
def test_x6_a_terabyte_of_nothing_costs_no_time(reader: Reader, root: Path) -> None:
    place = put(reader, root, b"")
    os.truncate(place, 1 << 40)
    with at_once(10):
        read(reader, root)


@PARAMETERS
@given(data=st.data())
def test_fuzz_mutations_of_a_good_document(
    reader: Reader, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("p")
    put(READERS[0], root, _bytes(RECORD))
    good = reader.good
    at = data.draw(st.integers(0, len(good)))
    length = data.draw(st.integers(0, 12))
    junk = data.draw(
        st.one_of(
            st.binary(max_size=12),
            st.sampled_from(
                [b"null", b"[]", b"{}", b'""', b"-1", b"1e999", b"true", b'"\\ud800"', b"\\", b'"']
            ),
        )
    )
    put(reader, root, good[:at] + junk + good[at + length :])
    read(reader, root)


@PARAMETERS
@given(junk=st.binary(max_size=200))
def test_fuzz_bytes(reader: Reader, junk: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("p")
    put(READERS[0], root, _bytes(RECORD))
    put(reader, root, junk)
    read(reader, root)
