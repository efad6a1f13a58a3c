"""Real terminals: closed, resized, multiplexed, too small, and a dashboard that breaks."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fcntl import ioctl

import pytest

from caesar_core.identity import is_alive
from tests.integration.engine.conftest import Caesar, eventually


class Terminal:
    """`caesar` on a pseudo-terminal."""

    def __init__(self, caesar: Caesar, *args: str, **env: str) -> None:
        self.fd, inner = pty.openpty()
        self.resize(40, 120)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "caesar_core", *args],
            cwd=caesar.root,
            env={**caesar.env, "TERM": "xterm-256color", **env},
            stdin=inner,
            stdout=inner,
            stderr=inner,
            preexec_fn=_take_terminal,  # noqa: PLW1509
        )
        os.close(inner)
        self.output = b""

    def read_and_poll(self) -> int | None:
        """Take in what there is; the exit code once there is one."""
        self.read()
        return self.process.poll()

    def resize(self, rows: int, columns: int) -> None:
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float = 0.05) -> None:
        while select.select([self.fd], [], [], seconds)[0]:
            try:
                self.output += os.read(self.fd, 65_536)
            except OSError:
                return

    def until(self, done: Callable[[bytes], bool]) -> None:
        def look() -> bytes:
            self.read()
            return self.output

        eventually(look, done, 25)

    def close(self) -> None:
        os.close(self.fd)
        self.fd = -1


def _take_terminal() -> None:
    os.setsid()
    ioctl(0, termios.TIOCSCTTY, 0)


@contextmanager
def terminal(caesar: Caesar, *args: str, **env: str) -> Iterator[Terminal]:
    made = Terminal(caesar, *args, **env)
    try:
        yield made
    finally:
        with suppress(ProcessLookupError):
            os.killpg(made.process.pid, signal.SIGKILL)
        made.process.wait()
        if made.fd >= 0:
            made.close()


def test_p11_closing_the_terminals_of_four_runs_and_a_dashboard_loses_nothing(
    caesar: Caesar,
) -> None:
    from caesar_core.store.record_store import RecordStore

    store = RecordStore(caesar.layout)
    wait = caesar.at_the_gate
    runs = [Terminal(caesar, "run", "--agent", "shell", f"{wait}; echo {n}") for n in range(4)]
    with terminal(caesar, "watch") as watch:
        records = eventually(
            lambda: store.scan().records,
            lambda found: len(found) == 4 and all(record.agent_process for record in found),
        )
        watch.until(lambda output: b"shell" in output)

        for one in (*runs, watch):
            one.close()

        codes = [one.process.wait(15) for one in runs]
        assert watch.process.wait(15) is not None
    assert codes == [129] * 4
    caesar.gate.touch()
    for record in records:
        assert caesar.wait(record.id).report_status == "success"


def test_p11_a_dashboard_ends_with_its_terminal_although_the_hang_up_is_ignored(
    caesar: Caesar,
) -> None:
    caesar.run("true")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with terminal(caesar, "watch") as watch:
            watch.until(lambda output: b"shell" in output)
            watch.close()
            assert watch.process.wait(15) is not None
    finally:
        signal.signal(signal.SIGHUP, before)


def test_r5_an_error_while_drawing_ends_the_dashboard_and_no_agent(caesar: Caesar) -> None:
    """T6: and the terminal can be used."""
    task_id = caesar.detach(f"{caesar.at_the_gate}; echo done")
    caesar.wait(task_id, lambda record: record.agent_process is not None)
    (caesar.root / "sitecustomize.py").write_text(
        "import sys\n"
        "if 'watch' in sys.argv:\n"
        "    import caesar_tui.widgets.task_table as table\n"
        "    def broken(*_): raise RuntimeError('on purpose')\n"
        "    for name in ('render_line', 'row_segments'):\n"
        "        if hasattr(table.TaskTable, name): setattr(table.TaskTable, name, broken)\n"
    )

    with terminal(caesar, "watch", PYTHONPATH=str(caesar.root)) as broken:
        broken.until(lambda output: b"\x1b[?1049l" in output)
        eventually(broken.read_and_poll, lambda code: code is not None)
        assert broken.process.returncode != 0
        left = broken.output.rpartition(b"\x1b[?1049l")
        assert b"\x1b[?1000l" in broken.output.rpartition(b"\x1b[?1000h")[2]
        assert b"\x1b[?25h" in broken.output.rpartition(b"\x1b[?25l")[2]
        assert b"\x1b[?1049h" not in left[2]
        assert termios.tcgetattr(broken.fd)[3] & termios.ECHO
        assert termios.tcgetattr(broken.fd)[3] & termios.ICANON
    record = caesar.record(task_id)
    assert record.supervisor is not None
    assert record.is_active
    assert is_alive(record.supervisor)
    (caesar.root / "sitecustomize.py").unlink()
    with terminal(caesar, "watch") as again:
        again.until(lambda output: b"shell" in output)
    caesar.gate.touch()
    assert caesar.wait(task_id).report_status == "success"


def test_t5_a_hundred_resizes_in_a_second_are_survived(caesar: Caesar) -> None:
    caesar.run("true")
    with terminal(caesar, "watch") as screen:
        screen.until(lambda output: b"shell" in output)
        for step in range(100):
            screen.resize(5 + step % 40, 20 + step * 3)
            screen.read(0.005)
        screen.resize(30, 100)
        before = len(screen.output)
        screen.until(lambda output: b"shell" in output[before:])
        assert screen.process.poll() is None
        os.write(screen.fd, b"q")
        eventually(screen.read_and_poll, lambda code: code == 0)


@pytest.mark.parametrize("term", ["dumb", "unknown"])
def test_t12_where_nothing_can_be_drawn_there_are_lines(caesar: Caesar, term: str) -> None:
    """T13: with the same information."""
    task_id = caesar.run("true")["task_id"]

    with terminal(caesar, "watch", task_id, TERM=term) as lines:
        eventually(lines.read_and_poll, lambda code: code == 0)

    assert b"so lines it is" in lines.output
    assert b"success" in lines.output
    assert b"\x1b" not in lines.output


@pytest.fixture
def tmux(caesar: Caesar) -> Iterator[Callable[..., str]]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    socket = f"caesar-{uuid.uuid4().hex[:8]}"

    def call(*args: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", socket, "-f", "/dev/null", *args],
            cwd=caesar.root,
            env={**caesar.env, "TERM": "xterm-256color"},
            capture_output=True,
            check=False,
        )
        return done.stdout.decode()

    yield call
    call("kill-server")


@pytest.mark.parametrize("term", ["tmux-256color", "screen", "xterm-256color"])
def test_t12_in_tmux_the_board_stands_and_leaves(
    caesar: Caesar, tmux: Callable[..., str], term: str
) -> None:
    caesar.run("true # 日本語 🎉 e\u0301")
    command = f"env TERM={term} {sys.executable} -m caesar_core watch"
    tmux("new-session", "-d", "-x", "100", "-y", "30", command)

    screen = eventually(
        lambda: tmux("capture-pane", "-p"), lambda text: "Finished" in text and "help" in text, 25
    )

    lines = screen.splitlines()
    assert "caesar" in lines[0]
    assert any("shell" in line for line in lines)
    assert all(len(line) <= 100 for line in lines)
    tmux("send-keys", "q")
    eventually(lambda: tmux("list-sessions"), lambda left: left == "")


def test_t12_in_tmux_a_dumb_terminal_gets_lines(caesar: Caesar, tmux: Callable[..., str]) -> None:
    task_id = caesar.run("true")["task_id"]
    watch = f"env TERM=dumb {sys.executable} -m caesar_core watch {task_id}"
    tmux("new-session", "-d", "-x", "100", "-y", "30", f"{watch}; cat")

    text = eventually(lambda: tmux("capture-pane", "-p"), lambda text: "success" in text, 25)

    assert "so lines it is" in text
    assert "[0m" not in text


def test_t15_forty_columns_keep_the_choice_and_the_keys_in_sight(
    caesar: Caesar, tmux: Callable[..., str]
) -> None:
    for n in range(3):
        caesar.run(f"echo {n}")
    tmux("new-session", "-d", "-x", "40", "-y", "12", f"{sys.executable} -m caesar_core watch")
    eventually(lambda: tmux("capture-pane", "-p"), lambda text: "shell" in text, 25)

    for key in ("j", "j", "j"):
        tmux("send-keys", key)

    def chosen() -> bool:
        rows = tmux("capture-pane", "-p", "-e").splitlines()
        return any("shell" in row and ("\x1b[48" in row or "\x1b[7m" in row) for row in rows)

    eventually(chosen, bool)
    assert "help" in tmux("capture-pane", "-p")


def test_i4_with_json_stdout_is_json_and_nothing_else(caesar: Caesar) -> None:
    import json

    done = caesar.run("echo x > x.txt; echo noise >&2")["task_id"]
    for command in (
        ("ps",), ("show", done), ("logs", done), ("diff", done), ("apply", done), ("undo",),
        ("cancel", done), ("gc", "--dry-run"), ("watch", "--once"), ("watch", done),
        ("protocol", "schema"), ("show", "t_none"),
    ):  # fmt: skip
        ran = caesar(*command, "--json", env={"FORCE_COLOR": "1"})
        assert ran.out, command
        for line in ran.out.splitlines():
            assert isinstance(json.loads(line), dict), command


def test_s6_two_hundred_tasks_are_all_counted(caesar: Caesar) -> None:
    from caesar_core.store.record_store import RecordStore
    from caesar_core.store.records import Record

    store = RecordStore(caesar.layout)
    for n in range(200):
        when = f"2026-11-30T20:{n // 60:02}:{n % 60:02}.000Z"
        keys = {"created_at": when, "ended_at": when, "report_status": "success"}
        store.create(Record(id=f"t_{n:03}", agent="codex", status="succeeded", **keys))  # type: ignore[arg-type]

    assert len(caesar("ps", "--all", "--json").json["tasks"]) == 200
    assert "200 finished" in caesar("watch", "--once").out
    started = time.monotonic()
    with terminal(caesar, "watch") as board:
        board.until(lambda output: b"200" in output)
    assert time.monotonic() - started < 20
