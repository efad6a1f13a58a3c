"""`caesar logs`: a task's events, or its raw output."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from caesar_core.cli.common import json_option, line_of, root_option, service_at, task_argument
from caesar_core.cli.output import locale_encoding, stderr, stdout
from caesar_core.errors import CaesarError
from caesar_core.text import visible
from caesar_core.watch.reader import RawReader, StreamReader

if TYPE_CHECKING:
    from caesar_core.engine.service import Service

_PAUSE: Final = 0.1


@click.command("logs")
@task_argument
@click.option("--raw", is_flag=True, help="What the agent's process printed, byte for byte.")
@click.option("--follow", "-f", is_flag=True, help="Go on until the task ends.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the last N events.")
@json_option
@root_option
def command(
    task: str, limit: int | None, root: str | None, *, raw: bool, follow: bool, as_json: bool
) -> int:
    """Print the events of the task ID."""
    service = service_at(root)
    service.adopt()
    task_id = service.resolve_id(task)
    service.record(task_id)
    if raw:
        _show_raw(_chunks(service, task_id, follow=follow))
        return 0
    if as_json and not follow:
        return _as_json(StreamReader(service.layout, task_id), limit)
    for line in _lines(service, task_id, limit, follow=follow):
        _show(service, task_id, line, as_json=as_json)
    return 0


def _as_json(reader: StreamReader, limit: int | None) -> int:
    from caesar_core.board.reduce import fold_lines
    from caesar_core.board.views import StreamView
    from caesar_core.protocol.wire import encode_event

    view, events = fold_lines(StreamView(), reader.new_lines())
    shown = events[-limit:] if limit else events
    body = b",".join(encode_event(event).rstrip(b"\n") for event in shown)
    head = f'{{"total_events":{view.events},"bad_lines":{view.bad_lines},"events":['
    stdout().data(head.encode() + body + b"]}\n")
    return 0


def _show(service: Service, task_id: str, line: bytes, *, as_json: bool) -> None:
    from caesar_core.board.glyphs import glyphs_for
    from caesar_core.protocol.wire import BadEventError, decode_event

    try:
        event = decode_event(line)
    except (BadEventError, CaesarError) as error:
        stderr().line(visible(f"note: a line that is not an event: {error}"))
        return
    if as_json:
        stdout().data(line + b"\n")
    else:
        shown = line_of(service, task_id, event)
        stdout().line(shown.plain(glyphs_for(locale_encoding())))


def _lines(service: Service, task_id: str, limit: int | None, *, follow: bool) -> Iterator[bytes]:
    """Yield the last `limit` lines, then, with `follow`, what comes until the task is over."""
    reader = StreamReader(service.layout, task_id)
    yield from reader.new_lines() if limit is None else deque(reader.new_lines(), limit)
    caretaker = service.caretaker(task_id)
    while follow:
        active = caretaker.look().is_active
        yield from reader.new_lines()
        if not active:
            return
        service.clock.sleep(_PAUSE)


def _chunks(service: Service, task_id: str, *, follow: bool) -> Iterator[bytes]:
    reader = RawReader(service.layout, task_id)
    caretaker = service.caretaker(task_id)
    while True:
        active = follow and caretaker.look().is_active
        yield from reader.new_chunks()
        if not active:
            return
        service.clock.sleep(_PAUSE)


def _show_raw(chunks: Iterator[bytes]) -> None:
    """Print bytes as they came; in a terminal with their control characters made visible."""
    out = stdout()
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for chunk in chunks:
        if out.is_terminal:
            out.write(visible(decoder.decode(chunk), keep_newlines=True))
        else:
            out.data(chunk)
