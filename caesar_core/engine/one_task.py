"""One task from its start to its end, for whoever only wants to know how it ended."""

from __future__ import annotations

from typing import Final

from caesar_core.engine.request import Request
from caesar_core.engine.service import Service
from caesar_core.store.records import Record

_PAUSE: Final = 0.02


def run_to_end(service: Service, request: Request) -> Record:
    """Delegate and wait; an interrupt cancels the task before it goes on its way.

    Raises:
        CaesarError: refused, or nobody can look after the task.
    """
    record, _ = service.delegate(request)
    caretaker = service.caretaker(record.id)
    try:
        while record.is_active:
            service.clock.sleep(_PAUSE)
            record = caretaker.look()
    except KeyboardInterrupt:
        service.cancel(record.id)
        raise
    return record
