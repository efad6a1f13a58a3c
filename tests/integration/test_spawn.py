from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from caesar_core.clock import SystemClock
from caesar_core.identity import is_alive
from caesar_core.process.identity import signal_process
from caesar_core.process.spawn import Child, SpawnError, spawn, spawn_detached, which
from tests.integration.waiting import wait_until

ENV = {"PATH": os.environ["PATH"]}


def start(folder: Path, *argv: str, stdin: Path | None = None) -> Child:
    return spawn(
        argv,
        cwd=folder,
        env=ENV,
        stdin=stdin,
        stdout=folder / "spool" / "out",
        stderr=folder / "spool" / "err",
    )


def run(folder: Path, script: str, *, stdin: Path | None = None) -> tuple[int, str]:
    child = start(folder, "sh", "-c", script, stdin=stdin)
    return child.process.wait(timeout=20), (folder / "spool" / "out").read_text()


def test_outputs_are_appended_to_files(tmp_path: Path) -> None:
    assert run(tmp_path, "echo out; echo err >&2; exit 3") == (3, "out\n")
    assert run(tmp_path, "pwd") == (0, f"out\n{tmp_path}\n")
    assert (tmp_path / "spool" / "err").read_text() == "err\n"


def test_it_is_told_the_folder_it_works_in(tmp_path: Path) -> None:
    """Some agents believe `PWD`, and would work where the caller stands."""
    environment = {**ENV, "PWD": "/", "OLDPWD": "/usr"}
    streams = {"stdout": tmp_path / "out", "stderr": tmp_path / "err"}
    spawn(("env",), cwd=tmp_path, env=environment, **streams).process.wait(timeout=20)
    said = (tmp_path / "out").read_text().splitlines()
    assert f"PWD={tmp_path}" in said
    assert not [line for line in said if line.startswith("OLDPWD=")]


def test_92_p4_stdin_is_a_file_or_ends_at_once(tmp_path: Path) -> None:
    assert run(tmp_path, "cat; echo end") == (0, "end\n")
    (tmp_path / "brief").write_text("the brief\n")
    assert run(tmp_path, "cat", stdin=tmp_path / "brief")[1] == "end\nthe brief\n"


def test_it_leads_a_session_and_inherits_nothing(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))
    code = (
        "import os, signal; print(os.getsid(0) == os.getpid() == os.getpgid(0),"
        " signal.pthread_sigmask(signal.SIG_BLOCK, ()),"
        " [s for s in signal.valid_signals() if signal.getsignal(s) is signal.SIG_IGN"
        " and s not in (signal.SIGPIPE, signal.SIGXFSZ)],"
        f" os.path.exists('/dev/fd/{writer}'), dict(os.environ))"
    )
    try:
        start(tmp_path, sys.executable, "-E", "-c", code).process.wait()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))
        signal.signal(signal.SIGINT, old)
        os.close(reader)
        os.close(writer)
    out = (tmp_path / "spool" / "out").read_text()
    assert out.startswith("True set() [] False {'PATH':"), out
    assert "CAESAR" not in out


def test_sigpipe_ends_a_program_as_usual(tmp_path: Path) -> None:
    assert run(tmp_path, "yes | head -1 >/dev/null; echo done") == (0, "done\n")
    assert (tmp_path / "spool" / "err").read_text() == ""


def test_97_what_cannot_be_started_says_why_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("no program")
    (tmp_path / "text").write_text("no program")
    (tmp_path / "text").chmod(0o755)
    (tmp_path / "orphan").write_text("#!/no/such/interpreter\n")
    (tmp_path / "orphan").chmod(0o755)
    for argv, reason in (
        (("no-such-agent",), "no-such-agent is not installed"),
        (("./none",), "./none does not exist"),
        (("./plain",), "Cannot start ./plain: Permission denied"),
        (("./text",), "Cannot start ./text: Exec format error"),
        (("./orphan",), "Cannot start ./orphan: the interpreter that its first line names"),
        (("sh", "a\0b"), "NUL|null"),
        (("sh", "x" * (3 << 20)), "Argument list too long"),
    ):
        with pytest.raises(SpawnError, match=reason) as found:
            start(tmp_path, *argv)
        assert found.value.hint
    with pytest.raises(SpawnError, match=r"working directory .*gone does not exist"):
        start(tmp_path / "gone", "sh")


def test_no_descriptor_leaks(tmp_path: Path) -> None:
    def descriptors() -> list[str]:
        return sorted(os.listdir("/dev/fd"))  # noqa: PTH208

    before = descriptors()
    for _ in range(5):
        run(tmp_path, "true")
        with pytest.raises(SpawnError):
            start(tmp_path, "no-such-agent")
    assert len(descriptors()) == len(before)


def test_52_which_takes_names_and_paths(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    assert which("tool", str(tmp_path)) is None
    assert which(str(tool), "") is None
    tool.chmod(0o755)
    assert which("tool", str(tmp_path)) == tool
    assert which(str(tool), "") == tool
    assert which(str(tmp_path), "") is None


def test_a_detached_program_is_nobody_s_child_and_has_no_marker(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; print(os.getppid(), os.environ.get('CAESAR_TASK_ID'),"
        " sys.argv[1], sys.stdin.read() == '', flush=True); time.sleep(60)"
    )
    ref = spawn_detached(
        [sys.executable, "-c", code, 'a "b" $c'],
        cwd=tmp_path,
        env=ENV | {"CAESAR_TASK_ID": "t_outer"},
        log=tmp_path / "log",
    )
    try:
        out = wait_until((tmp_path / "log").read_text, SystemClock())
        parent, rest = out.split(" ", 1)
        assert rest == 'None a "b" $c True\n'
        assert int(parent) != os.getpid()
        assert os.getsid(ref.pid) not in (os.getsid(0), 0)
        with pytest.raises(ChildProcessError):
            os.waitpid(ref.pid, os.WNOHANG)
    finally:
        assert is_alive(ref)
        signal_process(ref, signal.SIGKILL)


def test_a_detached_program_that_is_missing_is_said(tmp_path: Path) -> None:
    for argv, cwd in ((["no-such"], tmp_path), (["sh"], tmp_path / "gone")):
        with pytest.raises(SpawnError):
            spawn_detached(argv, cwd=cwd, env=ENV, log=tmp_path / "log")


def test_the_modules_of_a_supervisor_are_light(tmp_path: Path) -> None:
    code = """
import re, sys
import caesar_core.process.supervise, caesar_core.process.environment
import caesar_core.store.slots, caesar_core.store.mailbox, caesar_core.store.journal
import caesar_core.store.record_store, caesar_core.store.lease, caesar_core.store.tail
import caesar_core.store.checkpoint
heavy = {"pydantic", "git", "watchdog", "asyncio", "click", "psutil", "rich", "textual", "mcp"}
print(sorted(heavy & set(sys.modules)))
if sys.platform == "linux":
    print(re.search(r"VmRSS:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""
    start(tmp_path, sys.executable, "-c", code).process.wait()
    loaded, *resident = (tmp_path / "spool" / "out").read_text().split()
    assert loaded == "[]"
    assert all(int(kilobytes) < 30 << 10 for kilobytes in resident)
