"""Following a race from a terminal: the events of all contestants as lines, until it is over."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from caesar_core.cli.follow import EventStream, Signals
from caesar_core.cli.output import stderr
from caesar_core.errors import EXIT_CANCELLED
from caesar_core.text import one_line

if TYPE_CHECKING:
    from caesar_core.engine.race import Race
    from caesar_core.engine.service import Service
    from caesar_core.engine.unattended import Unattended
    from caesar_core.store.records import Record

_PAUSE: Final = 0.05
_PATIENCE: Final = 30.0
_EXIT_HUP: Final = 129
_EXIT_TERM: Final = 143


def show_race(
    service: Service,
    race: Race,
    *,
    quiet: bool,
    obey: Signals | None = None,
    events_as_json: bool = False,
    stand_ins: Sequence[Unattended] = (),
) -> None:
    """Print what the contestants do until all have ended, or a signal says to leave.

    Args:
        obey: INT and TERM stop every contestant, a hang-up lets the race go on without us.
        events_as_json: each event's line as it is, on stdout.
        stand_ins: who deals with the questions of contestants.
    """
    records = race.look()
    labels = _labels(records)
    streams = [
        EventStream(service, r.id, as_json=events_as_json, quiet=quiet, label=labels[r.id])
        for r in records
    ]
    asked_at: float | None = None
    while True:
        over = not any(record.is_active for record in records)
        for stream in streams:
            stream.show_new()
        for nobody in stand_ins:
            nobody.look()
        now = service.clock.monotonic()
        if over or (obey and obey.hung_up) or (asked_at is not None and now - asked_at > _PATIENCE):
            break
        if obey and obey.stop and asked_at is None:
            asked_at = now
            stderr().line(f"cancelling {race.id} …")
            race.request_cancel()
        service.clock.sleep(_PAUSE)
        records = race.look()
    for stream in streams:
        stream.end()


def exit_code_of_signals(signals: Signals) -> int | None:
    """Return the exit code that a signal means, `None` when there was none."""
    if signals.stop:
        return _EXIT_TERM if signals.stop == signal.SIGTERM else EXIT_CANCELLED
    return _EXIT_HUP if signals.hung_up else None


def _labels(records: list[Record]) -> dict[str, str]:
    """Return what stands before each line; contestants of one kind are numbered."""
    names = [one_line(r.agent if not r.model else f"{r.agent}:{r.model}", 13) for r in records]
    seen: dict[str, int] = {}
    labels = {}
    for record, name in zip(records, names, strict=True):
        seen[name] = seen.get(name, 0) + 1
        number = f"#{seen[name]}" if names.count(name) > 1 else ""
        labels[record.id] = f"{name[: 13 - len(number)]}{number}"
    return labels
