"""From the spools to `raw.log`."""

from __future__ import annotations

import json
from pathlib import Path

from caesar_core.agents.base import SilentTranslator
from caesar_core.agents.embedded import EmbeddedTranslator
from caesar_core.agents.reading import Record
from caesar_core.agents.stream import JsonTranslator
from caesar_core.clock import FakeClock
from caesar_core.engine.spools import Spools
from caesar_core.process.environment import Redactor
from caesar_core.protocol.event import EventBody, Message
from caesar_core.store.journal import Journal
from caesar_core.store.layout import TaskFiles


def _spools(files: TaskFiles) -> Spools:
    journal = Journal(files, "t_1", FakeClock())
    return Spools(files, journal, SilentTranslator(), lambda: Redactor(()), lambda: None)


def test_what_follows_a_spool_that_the_agent_emptied_is_taken_in(tmp_path: Path) -> None:
    files = TaskFiles(tmp_path / "t_1")
    files.stdout.parent.mkdir(parents=True)
    files.stdout.write_bytes(b"a long first line\n")
    spools = _spools(files)
    assert spools.pump()

    files.stdout.write_bytes(b"short\n")  # as `echo short > /dev/stdout` does
    before = spools.was_emptied
    assert spools.pump()
    assert not spools.pump()
    assert (before, spools.was_emptied) == (False, True)
    assert files.raw_log.read_bytes() == b"a long first line\nshort\n"

    with files.stdout.open("ab") as file:
        file.write(b"more\n")
    resumed = _spools(files)  # a second supervisor, killed in the middle of the last portion
    assert resumed.was_emptied
    assert resumed.pump()
    assert files.raw_log.read_bytes() == b"a long first line\nshort\nmore\n"


def test_what_takes_over_repeats_no_event_however_many_a_portion_held(tmp_path: Path) -> None:
    """A portion of output can become more than a mebibyte of events."""
    files = TaskFiles(tmp_path / "t_1")
    files.stdout.parent.mkdir(parents=True)
    line = json.dumps({"caesar": {"type": "message", "text": "x" * 60}}, separators=(",", ":"))
    lines = [line.replace("x" * 5, f"{number:05}", 1) for number in range(9000)]
    files.stdout.write_text("\n".join(lines) + "\n")

    def follow() -> Spools:
        journal = Journal(files, "t_1", FakeClock())
        return Spools(files, journal, EmbeddedTranslator(), lambda: Redactor(()), lambda: None)

    assert follow().pump()
    size = files.events.stat().st_size
    assert size > 1 << 20
    again = follow()  # the first one died before it could say how far it was
    while again.pump():
        pass
    assert files.events.stat().st_size == size


class _Reader(JsonTranslator):
    """Repeats what it hears on stderr."""

    def translate(self, record: Record) -> list[EventBody] | None:
        return []

    def hear(self, line: str) -> list[EventBody]:
        return [Message(text=line)]

    def conclude(self, exit_code: int | None, stderr_tail: str) -> list[EventBody]:
        return []


def test_lines_of_stderr_are_heard_while_it_runs_each_once(tmp_path: Path) -> None:
    files = TaskFiles(tmp_path / "t_1")
    files.stderr.parent.mkdir(parents=True)
    files.stderr.write_bytes(b"one\ntw")

    def follow() -> Spools:
        journal = Journal(files, "t_1", FakeClock())
        return Spools(files, journal, _Reader(), lambda: Redactor(()), lambda: None)

    spools = follow()
    assert spools.pump()
    with files.stderr.open("ab") as file:
        file.write(b"o\nthree")
    again = follow()  # another supervisor takes over in the middle of a line
    assert again.pump()
    again.finish()
    said = [json.loads(line)["text"] for line in files.events.read_text().splitlines()]
    assert said == ["one", "two", "three"]
