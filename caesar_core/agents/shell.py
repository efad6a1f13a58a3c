"""`shell`: an embedded agent that runs its objective as a command and reports honestly."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from caesar_core.agents.base import NO_CONTEXT, Capabilities, Invocation, Job, RunContext
from caesar_core.agents.embedded import (
    EmbeddedTranslator,
    invoke_module,
    read_task,
    say,
    write_report,
)
from caesar_core.clock import SystemClock
from caesar_core.protocol.event import ToolUse
from caesar_core.text import human_duration, one_line

_TAIL: Final = 16_000
_INLINE: Final = 100_000
_CHUNK: Final = 1 << 16
_LAST_READS: Final = 16  # of a chunk each: a mebibyte, which is what a pipe can hold at most


@dataclass(frozen=True, slots=True)
class ShellAgent:
    """Runs the objective with `/bin/sh` in the workspace; useful in CI without any model.

    Arguments given after `--` are `$1`, `$2`, … of the command.
    """

    id: str = "shell"
    display_name: str = "Shell"
    bin: str = sys.executable

    @property
    def capabilities(self) -> Capabilities:
        """It controls nothing but its command."""
        return Capabilities(json_events=True, network="unknown", declares_changes=False)

    def invoke(self, job: Job) -> Invocation:
        """Return the process."""
        return invoke_module("caesar_core.agents.shell", (), job, "shell")

    def translator(self, context: RunContext = NO_CONTEXT) -> EmbeddedTranslator:  # noqa: ARG002 - the protocol's shape
        """Return a fresh translator."""
        return EmbeddedTranslator()


def main() -> int:
    """Run the objective, pass its output on, report, and exit as it did."""
    # A handler, not SIG_IGN, which the command would inherit: it gets the signal and the time to
    # clear up, and we are there to report how it ended.
    signal.signal(signal.SIGTERM, _leave_it_to_the_command)
    command = str(read_task()["objective"])
    shown = one_line(command)
    say(ToolUse(tool="shell", id="command", input_summary=shown, status="started"))
    clock = SystemClock()
    began = clock.monotonic()
    code, tail = _run(_argv(command))
    took = clock.monotonic() - began
    passed = code == 0
    say(
        ToolUse(
            tool="shell",
            id="command",
            input_summary=shown,
            status="succeeded" if passed else "failed",
        )
    )
    if passed and Path(os.environ["CAESAR_REPORT_PATH"]).exists():
        return 0  # the command handed in a report of its own
    outcome = f"exited with {code}" if code >= 0 else f"was ended by {_signal_name(-code)}"
    write_report(
        status="success" if passed else "failed",
        summary=f"`{one_line(command, 120)}` {outcome} after {human_duration(took)}.",
        details=f"Last output:\n\n{tail}" if tail else "It printed nothing.",
        commands_run=[{"command": command[:_INLINE], "exit_code": code}],
        usage={"duration_ms": int(took * 1000)},
    )
    return code if code >= 0 else 128 - code


def _argv(command: str) -> list[str]:
    if len(command.encode("utf-8", "surrogateescape")) < _INLINE:
        return ["/bin/sh", "-c", command, "sh", *sys.argv[1:]]
    # One argument holds at most 128 KiB on Linux.
    script = Path(os.environ["CAESAR_TASK_DIR"]) / "command.sh"
    script.write_text(command, encoding="utf-8", errors="surrogateescape")
    return ["/bin/sh", str(script), *sys.argv[1:]]


def _run(argv: list[str]) -> tuple[int, str]:
    """Run a command; pass both outputs on as they come and keep the end of them."""
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    kept = bytearray()
    with selectors.DefaultSelector() as selector:
        for pipe, target in ((process.stdout, 1), (process.stderr, 2)):
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ, target)
        while selector.get_map() and process.poll() is None:
            _forward(selector, kept, 0.05)
        process.wait()
        # A grandchild may hold the pipes for ever, or fill them: take what is there and no more.
        for _ in range(_LAST_READS):
            if not selector.get_map() or not _forward(selector, kept, 0):
                break
    return process.returncode, kept.decode("utf-8", "replace").strip()


def _forward(selector: selectors.BaseSelector, kept: bytearray, timeout: float) -> bool:
    """Copy what is readable; return whether there was anything."""
    moved = False
    for key, _ in selector.select(timeout):
        pipe: IO[bytes] = key.fileobj  # type: ignore[assignment]
        chunk = os.read(pipe.fileno(), _CHUNK)
        if not chunk:
            selector.unregister(pipe)
            continue
        moved = True
        _write_all(key.data, chunk)
        kept += chunk
        del kept[:-_TAIL]
    return moved


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def _leave_it_to_the_command(*_: object) -> None:
    pass


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


if __name__ == "__main__":
    raise SystemExit(main())
