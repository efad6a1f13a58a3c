"""Whether a stream holds an event already: a supervisor says nothing that one before it said."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from caesar_core.errors import CaesarError
from caesar_core.protocol.event import Finished, Started
from caesar_core.protocol.wire import decode_event
from caesar_core.store.tail import Tail


def is_told(path: Path, kind: type[Started | Finished], offset: int = 0) -> bool:
    """Whether there is an event of that kind behind the first `offset` bytes."""
    tail, more = Tail(path, offset), True
    while more:
        part = tail.read()
        for line in part.lines:
            with suppress(ValueError, CaesarError):
                if isinstance(decode_event(line).body, kind):
                    return True
        more = part.more
    return False
