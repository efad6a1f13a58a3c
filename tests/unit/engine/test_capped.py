"""Output without end: files and memory stay bounded, and what is missing is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesar_core.agents.base import SilentTranslator, Translator
from caesar_core.agents.embedded import EmbeddedTranslator
from caesar_core.clock import FakeClock
from caesar_core.engine.capped import OutputLimits
from caesar_core.engine.spools import Spools
from caesar_core.process.environment import Redactor
from caesar_core.protocol.event import Error, Message, Progress
from caesar_core.protocol.wire import decode_event
from caesar_core.store.holes import punch_hole
from caesar_core.store.journal import Journal
from caesar_core.store.layout import TaskFiles

LIMITS = OutputLimits(raw=1000, tail=100, stream=2000)


@pytest.fixture
def files(tmp_path: Path) -> TaskFiles:
    found = TaskFiles(tmp_path / "t_1")
    found.stdout.parent.mkdir(parents=True)
    found.stdout.touch()
    return found


def spools(files: TaskFiles, translator: Translator | None = None) -> Spools:
    journal = Journal(files, "t_1", FakeClock())
    reader = translator or SilentTranslator()
    return Spools(files, journal, reader, lambda: Redactor(()), lambda: None, LIMITS)


def say(files: TaskFiles, data: bytes) -> None:
    with files.stdout.open("ab") as file:
        file.write(data)


def test_p8_raw_log_keeps_the_beginning_and_the_end_and_counts_the_rest(files: TaskFiles) -> None:
    taken = spools(files)
    for number in range(50):
        say(files, b"%04d " % number * 20)
        assert taken.pump()
    taken.finish()

    text = files.raw_log.read_bytes()

    said = files.stdout.read_bytes()
    assert text.startswith(said[:1000] + b"\n[caesar: 3,900 bytes left out; the end")
    assert text.endswith(b"follows]\n" + said[-100:])
    assert taken.left_out == (3900, 0)


@pytest.mark.parametrize("killed_after", [5, 12, 49])
def test_p8_who_takes_over_goes_on_with_the_same_count(files: TaskFiles, killed_after: int) -> None:
    taken = spools(files)
    for number in range(50):
        say(files, b"%04d " % number * 20)
        assert taken.pump()
        if number == killed_after:
            taken = spools(files)  # it repeats the portion that was under way
            assert taken.pump()
    taken.finish()
    first = files.raw_log.read_bytes()
    again = spools(files)  # killed just before it could say that it was done
    again.finish()

    assert files.raw_log.read_bytes() == first
    assert first[:1000] == files.stdout.read_bytes()[:1000]
    assert taken.left_out == again.left_out == (3900, 0)


def test_p8_a_little_more_than_the_limit_is_kept_as_a_whole(files: TaskFiles) -> None:
    taken = spools(files)
    say(files, b"x" * 1090)
    taken.pump()
    taken.finish()
    assert files.raw_log.read_bytes() == b"x" * 1090
    assert taken.left_out == (0, 0)


def test_p8_a_full_stream_still_gets_errors_and_says_how_much_is_missing(files: TaskFiles) -> None:
    taken = spools(files, EmbeddedTranslator())
    for number in range(40):
        say(files, event(type="message", text=f"{number:03}" + "x" * 97))
        assert taken.pump()
        if number == 30:
            taken = spools(files, EmbeddedTranslator())
            taken.pump()
    say(files, event(type="error", message="it broke"))
    taken.pump()
    taken.finish()

    bodies = [decode_event(line).body for line in files.events.read_bytes().splitlines()]

    kinds = [type(body) for body in bodies]
    assert kinds[-2:] == [Progress, Error]
    assert kinds.count(Progress) == 1
    assert kinds.count(Message) + taken.left_out[1] == 40
    assert files.events.stat().st_size < 2600


def test_p8_what_was_given_back_to_the_disk_reads_as_nothing(tmp_path: Path) -> None:
    path = tmp_path / "spool"
    path.write_bytes(b"x" * (1 << 20))
    before = path.stat().st_blocks
    if not punch_hole(path, 0, 1 << 19):
        pytest.skip("the file system gives nothing back")
    assert path.stat().st_size == 1 << 20
    assert path.stat().st_blocks < before
    assert path.read_bytes() == b"\0" * (1 << 19) + b"x" * (1 << 19)
    assert not punch_hole(path, 5, 5)
    assert not punch_hole(tmp_path / "missing", 0, 1)


def event(**fields: str) -> bytes:
    return json.dumps({"caesar": fields}).encode() + b"\n"


def test_p8_an_agent_that_is_far_ahead_is_not_read_to_the_end(files: TaskFiles) -> None:
    """It would fill the disk while we read: what could not be kept anyway is passed over."""
    taken = spools(files)
    say(files, b"begin " * 50)
    taken.pump()
    say(files, b"%04d " % 7 * 4000)
    for number in range(2):
        say(files, b"".join(b"%d%04d " % (number, word) for word in range(300)))
        assert taken.pump()
        taken = spools(files)  # who takes over goes on with the same count
    assert taken.pump()
    taken.finish()

    text = files.raw_log.read_bytes()
    said = files.stdout.read_bytes()

    kept = text.find(b"\n[caesar: ")
    assert text[:kept] == said[:kept]
    assert 300 <= kept <= 1000
    assert text.endswith(b"follows]\n" + said[-100:])
    assert taken.left_out == (len(said) - kept - 100, 0)
    assert not taken.pump()


def test_p8_an_agent_that_is_ahead_is_caught_up_with_at_one_look(tmp_path: Path) -> None:
    found = TaskFiles(tmp_path / "t_1")
    found.stdout.parent.mkdir(parents=True)
    found.stdout.write_bytes(b"x" * (10 << 20))
    journal = Journal(found, "t_1", FakeClock())
    taken = Spools(found, journal, SilentTranslator(), lambda: Redactor(()), lambda: None)

    assert taken.pump()

    assert found.raw_log.stat().st_size >= 6 << 20
