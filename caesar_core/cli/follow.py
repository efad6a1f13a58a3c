"""Following one task from a terminal: its events as lines, then its result."""

from __future__ import annotations

import signal
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from caesar_core.board.glyphs import glyphs_for
from caesar_core.cli.common import line_of
from caesar_core.cli.output import locale_encoding, stderr, stdout
from caesar_core.errors import EXIT_CANCELLED, CaesarError
from caesar_core.protocol.event import EventBody, Progress, Started
from caesar_core.protocol.wire import BadEventError, decode_event
from caesar_core.store.records import Record
from caesar_core.text import fit, one_line
from caesar_core.watch.reader import StreamReader

if TYPE_CHECKING:
    from caesar_core.cli.ci_options import CiOutputs
    from caesar_core.engine.service import Service

_PAUSE: Final = 0.02
_EXIT_HUP: Final = 129
_EXIT_TERM: Final = 143
_PATIENCE: Final = 30.0
_BAR: Final = 24


def follow_to_end(
    service: Service,
    record: Record,
    *,
    as_json: bool,
    events_as_json: bool = False,
    outputs: CiOutputs | None = None,
) -> int:
    """Show a task until it is over, print its result, and return the exit code.

    INT and TERM cancel the task; a hang-up lets it go on.

    Args:
        outputs: what else to write about it, and what else may fail the job.
    """
    stand_ins = outputs.stand_ins(service, [record.id]) if outputs else {}
    signals = Signals()
    with signals:
        stream = EventStream(service, record.id, as_json=events_as_json, quiet=as_json)
        caretaker = service.caretaker(record.id)
        asked_at: float | None = None
        while record.is_active:
            stream.show_new()
            for nobody in stand_ins.values():
                nobody.look()
            if signals.hung_up:
                return _EXIT_HUP
            if signals.stop and asked_at is None:
                asked_at = service.clock.monotonic()
                stderr().line(f"cancelling {record.id} …")
                service.request_cancel(record.id)
            if asked_at is not None and service.clock.monotonic() - asked_at > _PATIENCE:
                break
            service.clock.sleep(_PAUSE)
            record = caretaker.look()
        stream.show_new()
        stream.end()
    try:
        _print_result(service, record, as_json=as_json)
    except BrokenPipeError:
        _nobody_reads()
    code = service.exit_code(record.id)
    if signals.stop and (record.is_active or record.status == "cancelled"):
        # Not when the task was over by then: its result counts, wanted or not.
        code = _EXIT_TERM if signals.stop == signal.SIGTERM else EXIT_CANCELLED
    if outputs is None or record.is_active:
        return code
    alone = sum(nobody.unanswered for nobody in stand_ins.values())
    return outputs.finish(service, [record.id], code, unanswered=alone)


@dataclass
class Signals:
    """Remembers the signals that a foreground run obeys, and restores their handlers."""

    stop: int = 0
    hung_up: bool = False
    _before: dict[int, Any] = field(default_factory=dict)

    def __enter__(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._before[number] = signal.signal(number, self._note)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self.hung_up = True
        else:
            self.stop = self.stop or number


class EventStream:
    """Prints the events of one task as they come.

    Args:
        as_json: each line as it is, on stdout; else lines for people, on stderr.
        quiet: no lines for people.
        label: stands before each line, where several tasks are shown.
    """

    def __init__(
        self, service: Service, task_id: str, *, as_json: bool, quiet: bool, label: str = ""
    ) -> None:
        self._service = service
        self._task_id = task_id
        self._label = f"{fit(one_line(label, 13), 13)} " if label else ""
        self._reader = StreamReader(service.layout, task_id)
        self._as_json = as_json
        self._quiet = quiet
        self._glyphs = glyphs_for(locale_encoding())
        self._bar_shown = False
        self._agent_started = False
        self._gone = False

    def show_new(self) -> None:
        """Print what is new."""
        for line in self._reader.new_lines():
            self._show(line)

    def end(self) -> None:
        """Clear a progress bar that still stands."""
        if self._bar_shown:
            stderr().write("\r\x1b[K")
            self._bar_shown = False

    def _show(self, line: bytes) -> None:
        if self._gone or (self._quiet and not self._as_json):
            return
        try:
            self._print(line)
        except BrokenPipeError:
            # Whoever read us has left; the task, and our exit code, have not.
            self._gone = True
            _nobody_reads()

    def _print(self, line: bytes) -> None:
        # An agent can write there: what is no event would break who reads lines of JSON.
        with suppress(BadEventError, CaesarError):
            event = decode_event(line)
            if self._as_json:
                stdout().json_line(line.strip())
                return
            err = stderr()
            if self._is_preparation(event.body) and err.is_terminal:
                self._show_bar(event.body)
                return
            self.end()
            shown = line_of(self._service, self._task_id, event)
            err.line(self._label + shown.plain(self._glyphs))

    def _is_preparation(self, body: EventBody) -> TypeGuard[Progress]:
        """Whether it is our own progress, before the agent's; that is a bar in a terminal."""
        self._agent_started = self._agent_started or isinstance(body, Started)
        return not self._agent_started and isinstance(body, Progress) and body.pct is not None

    def _show_bar(self, body: Progress) -> None:
        share = min(max((body.pct or 0) / 100, 0), 1)
        done = round(share * _BAR)
        bar = "#" * done + "-" * (_BAR - done)
        stderr().write(f"\r\x1b[K[{bar}] {share:4.0%} {one_line(body.message, 40)}")
        self._bar_shown = True


def _print_result(service: Service, record: Record, *, as_json: bool) -> None:
    out = stdout()
    if as_json:
        out.json(service.result(record.id))
        return
    from caesar_core.cli.report_text import result_lines

    for line in result_lines(service.result(record.id), out):
        out.line(line)


def _nobody_reads() -> None:
    for stream in (stdout(), stderr()):
        stream.discard()
