"""The dashboard in a pseudo-terminal: what really reaches it."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from fcntl import ioctl
from pathlib import Path
from typing import Any

import psutil
import pytest

from caesar_core.protocol import event as ev
from caesar_tui.guard import RESTORE
from tests.tui import sample as sample_module
from tests.tui.sample import Sample

PATIENCE = 40.0
EVIL = (
    "\x1b]52;c;ZXZpbA==\x07\x1b]0;evil title\x07\x9d0;evil\x9c\x1bP+q544e\x1b\\"
    "\x1b_evil\x1b\\\x1b^evil\x1b\\\x1b[31mevil\x9b2Jevil\x1bc"
    "[/bold][@click=app.quit]evil[/]\u202eevil\u2066\r\x08\x7f\x00"
)
# What Textual itself writes; an OSC 52, a title, a DCS or a C1 character is not among it.
OURS = re.compile(
    rb"\x1b\[[0-9;:?<>=]*[a-zA-Z$~]|\x1b\[[0-9;?]*\$[a-z]|\x1b[78]|\x1b\[\?[0-9;]*[hl]"
    rb"|\x1b\]22;[a-z-]*\x07|\x1bP>\|[^\x1b]*\x1b\\"
    rb"|\x1b\]2;caesar(: \d+ needs? you)?\x07|\x1b\]9;[^\x00-\x1f\x7f]*\x07\x07"
)
PROGRAM = (
    "import sys; from pathlib import Path; from caesar_core.store.layout import Layout;"
    "from caesar_tui.entry import run_dashboard;"
    "sys.exit(run_dashboard(Layout(Path(sys.argv[1]))))"
)


class Terminal:
    """A process on a pseudo-terminal of 120 by 40."""

    def __init__(self, root: Path) -> None:
        self.descriptor, inner = pty.openpty()
        ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": ""}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(root)],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env=environment,
            start_new_session=True,
        )
        os.close(inner)
        self.output = b""

    def read(self, seconds: float) -> bytes:
        """Return what arrives within `seconds` and at once after."""
        before = len(self.output)
        while select.select([self.descriptor], [], [], seconds)[0]:
            try:
                self.output += os.read(self.descriptor, 65_536)
            except OSError:
                break
            seconds = 0.05
        return self.output[before:]

    def watch(self, seconds: float) -> int:
        """Return how many bytes arrive in exactly `seconds`."""
        before, until = len(self.output), time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.read(min(left, 0.1))
        return len(self.output) - before

    def wait_for(self, done: Callable[[bytes], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not done(self.output):
            assert time.monotonic() < until, self.output[-2_000:]
            self.read(0.05)

    def settle(self) -> None:
        """Wait until half a second passes in silence."""
        until = time.monotonic() + PATIENCE
        while self.read(0.5):
            assert time.monotonic() < until

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def child(self) -> psutil.Process:
        (child,) = psutil.Process(self.process.pid).children()
        return child


@contextmanager
def dashboard(root: Path) -> Iterator[Terminal]:
    terminal = Terminal(root)
    try:
        yield terminal
    finally:
        if terminal.process.poll() is None:
            for process in psutil.Process(terminal.process.pid).children(recursive=True):
                process.kill()
            terminal.process.kill()
        terminal.process.wait()
        os.close(terminal.descriptor)


@pytest.fixture
def evil(empty: Sample, monkeypatch: pytest.MonkeyPatch) -> Sample:
    """A project in which every text that a stranger controls is hostile."""
    monkeypatch.setattr(sample_module, "NOW", datetime.now(UTC))
    bodies: list[ev.EventBody] = [
        ev.Started(agent=EVIL, command=EVIL),
        ev.Thinking(text=EVIL),
        ev.Message(text=EVIL),
        ev.ToolUse(tool=EVIL, id="c", input_summary=EVIL, status="started"),
        ev.FileChanged(path=EVIL),
        ev.Progress(message=EVIL),
        ev.Error(message=EVIL, reason="other"),
        ev.Unknown(type=EVIL),
    ]
    keys: dict[str, Any] = {"objective": EVIL, "role": EVIL, "model": EVIL, "race_id": EVIL}
    empty.task("t_evil", EVIL, *((1, body) for body in bodies), **keys)
    done = {"status": "succeeded", "ended_at": sample_module.ago(5), "apply_conflicts": (EVIL,)}
    empty.task("t_done", EVIL, **keys, **done)
    empty.ask("t_evil", ev.Question(id="q1", question=EVIL, options=(EVIL,)))
    files = empty.layout.task("t_done")
    evil_list = [EVIL, EVIL]
    finding = {"severity": "high", "title": EVIL, "detail": EVIL, "file": EVIL, "line": 1}
    report = {
        "protocol": "caesar.report/v1",
        "status": "partial",
        "summary": EVIL,
        "details": f"# {EVIL}\n- {EVIL}\n```\n{EVIL}\n```\n> {EVIL}",
        "findings": [finding],
        "commands_run": [{"command": EVIL}],
        "changes": [{"path": EVIL, "summary": EVIL}],
        "next_steps": evil_list,
    }
    task = {"objective": EVIL, "context": EVIL, "constraints": evil_list, "agent": EVIL}
    files.report.write_text(json.dumps(report))
    files.task.write_text(json.dumps(task))
    files.raw_log.write_bytes(EVIL.encode() + b"\xff\x9b2J\n" + EVIL.encode("latin-1", "replace"))
    return empty


# Every tab, every screen, and a step into each.
WAY = (
    *"jk\r\r12v3456",
    "\x1b",
    *"W\r",
    "\x1b",
    *"Q\r",
    "\x1b",
    "\x1b[F",  # the last task, which has a report
    *"123\r456",
    "\x1b",
    "R",
    "\t",
    "\x1b",
    "n",
    "\x1b",
    "\x10",
    "\x1b",
    "c",
    "\x1b",
    "a",
    "\x1b",
    "A",
    "\x1b",
    "u",
    "x",
    "\x1b",
    "r",
    "\x1b",
    "/evil",
    "\x1b",
    "?",
)


def test_t1_q9_only_our_own_sequences_reach_the_terminal(evil: Sample) -> None:
    with dashboard(evil.root) as terminal:
        terminal.wait_for(lambda output: b"need you" in output)
        terminal.settle()
        for key in WAY:
            terminal.type(key)
            terminal.read(0.15)
        terminal.settle()
        rest = OURS.sub(b"", terminal.output).decode("utf-8")
    assert "evil" in rest
    controls = {hex(ord(c)) for c in rest if ord(c) < 32 or 127 <= ord(c) < 160}
    assert controls <= {"0xa", "0xd"}, controls
    assert "\u202e" not in rest


def test_t10_a_quiet_second_writes_nothing(empty: Sample) -> None:
    empty.task("t_done", "codex", status="succeeded", ended_at="2026-01-01T00:00:00Z")
    with dashboard(empty.root) as terminal:
        terminal.wait_for(lambda output: b"t_done" in output and b"live" in output)
        terminal.settle()
        while time.time() % 60 >= 57 or time.time() % 60 < 1:
            terminal.read(0.5)  # the header's clock moves at the full minute
        assert terminal.read(2.0) == b""


def test_t10_a_running_row_costs_at_most_60_bytes_a_second(
    empty: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_module, "NOW", datetime.now(UTC))
    for number in range(10):
        tool = ev.ToolUse(tool="shell", input_summary="make", status="started")
        empty.task(f"t_{number}", "codex", (5, tool), started=5)
    with dashboard(empty.root) as terminal:
        terminal.wait_for(lambda output: b"t_9" in output and b"live" in output)
        terminal.watch(2.0)
        written = terminal.watch(3.0)
    assert written <= 3 * 60 * 11  # the pane's head counts the seconds of one task as well


def test_t6_the_terminal_survives_kill_9(empty: Sample) -> None:
    with dashboard(empty.root) as terminal:
        terminal.wait_for(lambda output: b"No task yet" in output)
        assert not termios.tcgetattr(terminal.descriptor)[3] & termios.ECHO
        terminal.child().kill()
        terminal.wait_for(lambda output: RESTORE in output)
        assert terminal.process.wait(PATIENCE) == 128 + signal.SIGKILL
        assert termios.tcgetattr(terminal.descriptor)[3] & termios.ECHO


def test_t6_the_dashboard_leaves_when_its_guard_dies(empty: Sample) -> None:
    with dashboard(empty.root) as terminal:
        terminal.wait_for(lambda output: b"No task yet" in output)
        child = terminal.child()
        terminal.process.kill()
        terminal.wait_for(lambda output: b"\x1b[?1049l" in output)
        terminal.wait_for(lambda _: not _is_running(child))


def test_q_gives_the_terminal_back(empty: Sample) -> None:
    with dashboard(empty.root) as terminal:
        terminal.wait_for(lambda output: b"No task yet" in output)
        terminal.type("q")
        assert terminal.process.wait(PATIENCE) == 0
        terminal.read(0.1)
        assert b"\x1b[?1049l" in terminal.output
        assert termios.tcgetattr(terminal.descriptor)[3] & termios.ECHO


def test_f7_the_screen_is_there_again_after_an_editor(
    empty: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "sh -c 'touch seen; echo an-editor' --")
    done = {"status": "succeeded", "ended_at": "2026-01-01T00:00:00Z"}
    empty.task("t_done", "codex", workspace=str(empty.root), **done)
    with dashboard(empty.root) as terminal:
        terminal.wait_for(lambda output: b"t_done" in output and b"live" in output)
        terminal.type("e")
        terminal.wait_for(lambda output: b"an-editor" in output)
        terminal.wait_for(lambda output: b"t_done" in output.rpartition(b"an-editor")[2])
        assert (empty.root / "seen").exists()
        terminal.type("q")
        assert terminal.process.wait(PATIENCE) == 0


def test_t7_the_mouse_is_given_to_the_terminal_and_taken_back(
    empty: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "sh -c 'echo an-editor' --")
    done = {"status": "succeeded", "ended_at": "2026-01-01T00:00:00Z"}
    empty.task("t_done", "codex", workspace=str(empty.root), **done)
    given, taken = b"\x1b[?1003l", b"\x1b[?1003h"

    def has_it(output: bytes) -> bool:
        return output.rfind(given) > output.rfind(taken)

    with dashboard(empty.root) as terminal:
        terminal.wait_for(lambda output: b"t_done" in output and b"live" in output)
        assert not has_it(terminal.output)
        terminal.type("m")
        terminal.wait_for(lambda output: has_it(output) and b"the mouse selects text" in output)
        terminal.type("e")
        terminal.wait_for(lambda output: taken in output.rpartition(b"an-editor")[2])
        terminal.wait_for(has_it)
        terminal.type("m")
        terminal.wait_for(lambda output: not has_it(output))
        terminal.type("q")
        assert terminal.process.wait(PATIENCE) == 0


def _is_running(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
