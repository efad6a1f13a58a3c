"""How a stream is entered: from its checkpoint, else from its end, never from its beginning."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from caesar_core.board.activity import QUICK_BYTES, quick_stream
from caesar_core.board.checkpoint import Checkpoint
from caesar_core.board.reduce import fold_lines
from caesar_core.board.views import StreamView
from caesar_core.store.atomic import StoreError, open_regular, size_of
from caesar_core.store.checkpoint import load_checkpoint
from caesar_core.store.layout import TaskFiles

COUNTED_BYTES: Final = 4 << 20
"""Up to this size the lines of a log are counted; of a larger one the last `seq` is believed."""


def read_range(path: Path, start: int, end: int) -> bytes:
    """Return the bytes from `start` to `end` of a regular file, fewer at its end.

    Returns:
        Nothing for a missing file and for what is not a regular file.

    """
    try:
        with open_regular(path) as (descriptor, _):
            return os.pread(descriptor, max(0, end - start), start)
    except (FileNotFoundError, StoreError):
        return b""


def enter(files: TaskFiles) -> tuple[StreamView, int]:
    """Return a view of the stream and the offset from which it has to be followed.

    Reads the checkpoint and what came after it; without one, or when much came after it, only
    the end of the log.
    """
    saved = load_checkpoint(files)
    found = None if saved is None else Checkpoint.from_json(saved)
    size = size_of(files.events)
    if found is None or not 0 <= found.offset <= size:
        return _from_the_end(files.events, size)
    if size - found.offset > QUICK_BYTES:
        return _from_the_end(files.events, size)
    data = read_range(files.events, found.offset, size)
    complete = data.rfind(b"\n") + 1
    view, _ = fold_lines(found.stream, data[:complete].split(b"\n"))
    return view, found.offset + complete


def _from_the_end(path: Path, size: int) -> tuple[StreamView, int]:
    start = 0 if size <= COUNTED_BYTES else size - QUICK_BYTES
    data = read_range(path, start, size)
    newlines = data.count(b"\n") if start == 0 else None
    tail, whole = data[-QUICK_BYTES:], len(data) <= QUICK_BYTES and start == 0
    view = quick_stream(tail, whole=whole, newlines=newlines)
    return view, start + data.rfind(b"\n") + 1
