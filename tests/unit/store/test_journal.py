from __future__ import annotations

import os
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock
from caesar_core.protocol.event import Event, Message, Progress
from caesar_core.protocol.wire import BadEventError, decode_event, encode_event
from caesar_core.store.atomic import StoreError
from caesar_core.store.journal import Journal
from caesar_core.store.layout import TaskFiles
from tests.unit.store.test_atomic import files_of_at_most


@pytest.fixture
def files(tmp_path: Path) -> TaskFiles:
    return TaskFiles(tmp_path / "t_1")


@pytest.fixture
def journal(files: TaskFiles) -> Journal:
    return Journal(files, "t_1", FakeClock())


def foreign(files: TaskFiles, data: bytes) -> None:
    files.dir.mkdir(exist_ok=True)
    with files.events.open("ab") as file:
        file.write(data)


def line(seq: int) -> bytes:
    return encode_event(Event(seq=seq, at="", task_id="t_1", body=Message(text="theirs")))


def stream(files: TaskFiles) -> list[Event | None]:
    found: list[Event | None] = []
    for text in files.events.read_bytes().splitlines():
        try:
            found.append(decode_event(text))
        except BadEventError:
            found.append(None)
    return found


def test_events_are_numbered_from_zero_and_read_back(files: TaskFiles, journal: Journal) -> None:
    first = journal.append(Message(text="hé\n\ud800"))
    rest = journal.append_many([Progress(message="p", pct=5), Message(text="b")])
    assert [e.seq for e in (first, *rest)] == [0, 1, 2]
    assert first.at == "2026-01-01T00:00:00.000Z"
    assert [e and e.seq for e in stream(files)] == [0, 1, 2]
    assert journal.append_many([]) == []


def test_a_new_writer_goes_on_where_the_stream_is(files: TaskFiles, journal: Journal) -> None:
    journal.append_many([Message(text="a"), Message(text="b")])
    other = Journal(files, "t_1", FakeClock())
    assert other.append(Message(text="c")).seq == 2
    assert journal.append(Message(text="d")).seq == 3


def test_108_an_agent_that_appends_by_itself_is_tolerated(
    files: TaskFiles, journal: Journal
) -> None:
    journal.append_many([Message(text="a"), Message(text="b")])
    foreign(files, line(1))
    assert journal.append(Message(text="c")).seq == 2
    foreign(files, line(41))
    assert journal.append(Message(text="d")).seq == 42


def test_a_foreign_half_line_does_not_swallow_ours(files: TaskFiles, journal: Journal) -> None:
    journal.append(Message(text="a"))
    foreign(files, b'{"half": ')
    journal.append(Message(text="b"))
    a, half, b = stream(files)
    assert half is None
    assert a is not None
    assert b is not None
    assert (a.seq, b.seq) == (0, 1)


def test_without_a_readable_event_lines_are_counted(files: TaskFiles, journal: Journal) -> None:
    foreign(files, b"noise\nmore noise\n" + line(10**30))
    assert journal.append(Message(text="a")).seq == 3


def test_a_stream_cut_by_somebody_does_not_turn_the_counter_back(
    files: TaskFiles, journal: Journal
) -> None:
    journal.append_many([Message(text="a")] * 5)
    files.events.write_bytes(b"")
    assert journal.append(Message(text="b")).seq == 5


def test_the_last_event_is_found_behind_a_long_one(files: TaskFiles, journal: Journal) -> None:
    journal.append_many([Message(text="a"), Message(text="x" * 200_000)])
    assert Journal(files, "t_1", FakeClock()).append(Message(text="b")).seq == 2


def test_g28_a_full_disk_leaves_whole_lines(files: TaskFiles, journal: Journal) -> None:
    """R6."""
    journal.append(Message(text="a"))
    before = files.events.read_bytes()
    with files_of_at_most(len(before) + 50), pytest.raises(StoreError, match="Cannot append"):
        journal.append(Message(text="b" * 500))
    assert files.events.read_bytes() == before
    assert journal.append(Message(text="c")).seq == 1


def test_what_is_no_file_is_refused(files: TaskFiles, journal: Journal) -> None:
    files.dir.mkdir()
    files.events.symlink_to(files.dir / "elsewhere")
    with pytest.raises(StoreError, match="symbolic link"):
        journal.append(Message(text="a"))
    files.events.unlink()
    os.mkfifo(files.events)
    with pytest.raises(StoreError, match="not a regular file"):
        journal.append(Message(text="a"))
    assert not (files.dir / "elsewhere").exists()
