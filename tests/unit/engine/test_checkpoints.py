"""P8: a stream that an agent blew up itself is folded in portions, and not to its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.clock import FakeClock
from caesar_core.engine import checkpoints
from caesar_core.engine.checkpoints import Checkpointer
from caesar_core.protocol.event import Event, EventBody, Finished, Message
from caesar_core.protocol.wire import encode_event
from caesar_core.store.checkpoint import load_checkpoint
from caesar_core.store.layout import TaskFiles

READ = 10_000


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TaskFiles:
    monkeypatch.setattr(checkpoints, "_READ", READ)
    monkeypatch.setattr(checkpoints, "_PORTION", 2 * READ)
    monkeypatch.setattr(checkpoints, "_END", READ)
    monkeypatch.setattr(checkpoints, "LONGEST_STREAM", 10 * READ)
    found = TaskFiles(tmp_path / "t_1")
    found.dir.mkdir()
    return found


def _write(files: TaskFiles, size: int, last: EventBody) -> None:
    def line(seq: int, body: EventBody) -> bytes:
        return encode_event(Event(seq=seq, at="2026-01-01T00:00:00Z", task_id="t_1", body=body))

    one = line(1, Message(text="x" * 100))
    files.events.write_bytes(one * (size // len(one)) + line(2, last))


def test_p8_a_look_takes_a_portion_and_the_next_one_goes_on(files: TaskFiles) -> None:
    clock = FakeClock()
    checkpointer = Checkpointer(files, clock)
    _write(files, 5 * READ, Message(text="last words"))
    clock.advance(5)

    saved = []
    for _ in range(4):
        checkpointer.update()
        saved.append(load_checkpoint(files) is not None)

    assert saved == [False, False, True, True]
    assert "last words" in repr(checkpointer.view)


def test_p8_of_a_stream_far_too_long_the_beginning_and_the_end_count(files: TaskFiles) -> None:
    clock = FakeClock()
    checkpointer = Checkpointer(files, clock)
    _write(files, 100 * READ, Finished(status="partial", summary="the end", exit_code=3))
    for _ in range(20):
        clock.advance(5)
        checkpointer.update()
    assert checkpointer._tail.offset <= 12 * READ

    view = checkpointer.finish()

    assert "the end" in repr(view)
    assert checkpointer._tail.offset == files.events.stat().st_size
