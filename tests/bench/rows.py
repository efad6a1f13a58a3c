"""The rows of the table: what is measured, and what it is meant to take."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from caesar_core.engine.recover import RunFacts, recover_report
from caesar_core.repo.patch import parse_patch
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.tail import Tail
from caesar_core.watch.streams import enter
from tests.bench import dashboard, servers
from tests.bench.measure import CAESAR, CLOCK, Bench, percent_of_a_core, wait_until
from tests.bench.stores import empty_project, large_repository, running_project

AGENT_SECONDS = 0.09
EVENTS = 1_000
GIGABYTE = 1_000_000_000
AT_REST = 20


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `measure` returns what the bench's program takes, as text.

    Attributes:
        comparable: the reference implementation has the same command and reads the same files.
    """

    name: str
    goal: str
    measure: Callable[[Bench], str]
    comparable: bool = False


def version(bench: Bench) -> str:
    return seconds(bench.median(*bench.program, "--version", cwd=bench.folder).seconds)


def help_text(bench: Bench) -> str:
    return seconds(bench.median(*bench.program, "--help", cwd=bench.folder).seconds)


def python_itself(bench: Bench) -> str:
    return seconds(bench.median(sys.executable, "-c", "pass", cwd=bench.folder).seconds)


def ps_empty(bench: Bench) -> str:
    return seconds(bench.median(*bench.program, "ps", cwd=empty_project(bench, "empty")).seconds)


def ps_running(bench: Bench) -> str:
    run = bench.median(*bench.program, "ps", cwd=running_project(bench, 500, 100))
    return f"{seconds(run.seconds)}, {run.mebibytes:.0f} MiB"


def overhead(isolation: str) -> Callable[[Bench], str]:
    """Return the row of what `caesar run` adds to an agent of 0.09 s."""

    def measure(bench: Bench) -> str:
        root = empty_project(bench, f"run-{isolation}")
        settings = Path(bench.env["HOME"], ".config", "caesar", "config.toml")
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(
            f'[policy]\nallow_inplace_write = true\n[[agent]]\nid = "nap"\nbin = "/bin/sh"\n'
            f'args = ["-c", "sleep {AGENT_SECONDS}; echo done"]\nprompt = "none"\n'
        )
        bare = bench.median("/bin/sh", "-c", f"sleep {AGENT_SECONDS}", cwd=root).seconds
        command = (CAESAR, "run", "x", "--agent", "nap", "--isolation", isolation)
        return seconds(_median_of_partial(bench, *command, cwd=root) - bare)

    return measure


def once(tasks: int) -> Callable[[Bench], str]:
    """Return the row of one frame of `tasks` tasks."""

    def measure(bench: Bench) -> str:
        root = running_project(bench, tasks, EVENTS)
        run = bench.median(*bench.program, "watch", "--once", cwd=root)
        return f"{seconds(run.seconds)}, {run.mebibytes:.0f} MiB"

    return measure


def idle(tasks: int) -> Callable[[Bench], str]:
    """Return the row of watching `tasks` tasks in which nothing happens."""

    def measure(bench: Bench) -> str:
        root = running_project(bench, tasks, 40)  # short, for they are replayed before it rests
        command = [CAESAR, "watch", "--plain"]
        sink = subprocess.DEVNULL
        with subprocess.Popen(command, cwd=root, env=bench.env, stdout=sink, stdin=sink) as watcher:
            process = psutil.Process(watcher.pid)
            wait_until(lambda: percent_of_a_core(process, 2) < AT_REST)
            used = percent_of_a_core(process, 10)
            watcher.terminate()
        return f"{used:.1f} %"

    return measure


def apply_ten(bench: Bench) -> str:
    """Apply and take back in turn, so that each apply has everything to do."""
    root = large_repository(bench, 30_000)
    edit = "for f in d00[0-9]/f0000*.txt; do echo more >>$f; done"
    task = json.loads(bench.output(CAESAR, "run", edit, "--agent", "shell", "--json", cwd=root))
    assert len(task["diff"]["files"]) == 10, task["diff"]
    taken = []
    for _ in range(bench.repeat):
        taken.append(bench.run(CAESAR, "apply", task["task_id"], cwd=root).seconds)
        bench.run(CAESAR, "undo", task["task_id"], cwd=root)
    return seconds(sorted(taken)[len(taken) // 2])


def recovery(bench: Bench) -> str:
    """A megabyte of openings, half strings and marks, of which none is a report."""
    unit = '{"protocol": "caesar.report/v1", "a": [{"b": "\\" ```json caesar:report\n{{{ }] \n'
    hostile = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    facts = RunFacts(raw_tail=hostile, final_text="no report", ended="It exited with 1.")
    return seconds(bench.median_of(lambda: recover_report(facts)))


def cancel(bench: Bench) -> str:
    """From the command to the moment when nothing of the task is left."""
    root = empty_project(bench, "cancel")
    taken = []
    for _ in range(min(bench.repeat, 3)):
        with detached(bench, root, "sleep 600 & sleep 600") as task:
            processes = task_processes(task["task_id"])
            began = CLOCK.monotonic()
            bench.run(CAESAR, "cancel", task["task_id"], cwd=root)
            wait_until(lambda: not any(map(is_running, processes)))  # noqa: B023 - called at once
            taken.append(CLOCK.monotonic() - began)
    return seconds(sorted(taken)[len(taken) // 2])


def supervisor(bench: Bench) -> str:
    root = empty_project(bench, "supervisor")
    with detached(bench, root, "sleep 600") as task:
        shown = json.loads(bench.output(CAESAR, "show", task["task_id"], "--json", cwd=root))
        process = psutil.Process(shown["record"]["supervisor"]["pid"])
        CLOCK.sleep(2)
        used = percent_of_a_core_alone(process, 6)
        return f"{process.memory_info().rss / 2**20:.0f} MiB, {used:.1f} %"


def patch_parse(bench: Bench) -> str:
    body = b"".join(b"-    lodash: %d\n+    lodash: %d\n" % (n, n + 1) for n in range(25_000))
    head = b"diff --git a/lock b/lock\n--- a/lock\n+++ b/lock\n@@ -1,25000 +1,25000 @@\n"
    return seconds(bench.median_of(lambda: parse_patch(head + body)))


def attach(bench: Bench) -> str:
    """Enter a stream of 1 GB as the dashboard does, and read one more line of it."""
    root = running_project(bench, 1, EVENTS + 1)  # a project of its own
    files = Layout(root).task(RecordStore(Layout(root)).list_ids()[0])
    block = files.events.read_bytes()
    with files.events.open("ab") as stream:
        while stream.tell() < GIGABYTE:
            stream.write(block)
    begin = CLOCK.monotonic()
    _, offset = enter(files)
    took = CLOCK.monotonic() - begin
    with files.events.open("ab") as stream:
        stream.write(block[: block.index(b"\n") + 1])
    read = Tail(files.events, offset).read()
    size = files.events.stat().st_size
    files.events.write_bytes(block)
    assert read.offset == size
    return f"{seconds(took)}, {read.offset - offset} bytes read"


def absent(command: str) -> Callable[[Bench], str]:
    """Return the row of the start of a command that may not exist yet."""

    def measure(bench: Bench) -> str:
        listed = bench.output(CAESAR, "--help", cwd=bench.folder)
        if f"  {command} " not in listed:
            return "-"
        return seconds(bench.median(CAESAR, command, "--help", cwd=bench.folder).seconds)

    return measure


ROWS: tuple[Row, ...] = (
    Row("python -c pass", "-", python_itself),
    Row("caesar --version", "<= 0.035 s", version, comparable=True),
    Row("caesar --help", "<= 0.06 s", help_text, comparable=True),
    Row("caesar ps, empty project", "<= 0.10 s", ps_empty, comparable=True),
    Row("caesar ps, 500 running tasks", "<= 0.25 s", ps_running, comparable=True),
    Row("caesar run, overhead in place", "<= 0.25 s", overhead("inplace")),
    Row("caesar run, overhead in a worktree", "<= 0.32 s", overhead("worktree")),
    Row("watch --once, 1 task x 1,000 events", "<= 0.25 s", once(1), comparable=True),
    Row("watch --once, 50 tasks x 1,000 events", "<= 0.30 s", once(50), comparable=True),
    Row("watch --once, 500 tasks x 1,000 events", "<= 0.60 s, 80 MiB", once(500), comparable=True),
    Row("idle watching of 1 task", "< 1 %", idle(1)),
    Row("idle watching of 50 tasks", "< 1.5 %", idle(50)),
    Row("idle watching of 500 tasks", "< 3 %", idle(500)),
    Row("attach to a log of 1 GB, then one more event", "<= 0.2 s, bytes appended", attach),
    Row("apply, 10 files in a repository of 30,000", "<= 0.6 s", apply_ten),
    Row("report recovery from a hostile 1 MB log", "<= 0.1 s", recovery),
    Row("cancel to no process left", "<= 3 s", cancel),
    Row("a supervisor while its agent is silent", "<= 30 MiB, 0 %", supervisor),
    Row("dashboard, key to paint, 12 tiles, 1,000 events/s", "<= 16 ms", dashboard.key_to_paint),
    Row("dashboard, event to screen", "<= 150 ms", dashboard.event_to_screen),
    Row("dashboard, first rows of 10,000 past tasks", "<= 0.8 s", dashboard.first_paint),
    Row("dashboard, a diff of 50,000 lines", "<= 100 ms", dashboard.big_diff),
    Row("parse a diff of 50,000 lines", "<= 0.1 s", patch_parse),
    Row("MCP server, spawn to first answer", "as the library", servers.start),
    Row("MCP status call, 500 tasks", "<= 5 ms", servers.status),
    Row("agent-side caesar ask, start", "<= 0.08 s", absent("ask")),
    Row("agent-side caesar report, start", "<= 0.08 s", absent("report")),
)


def seconds(value: float) -> str:
    """Return a time as the table shows it."""
    return f"{value:.3f} s"


@contextmanager
def detached(bench: Bench, root: Path, command: str) -> Iterator[dict[str, Any]]:
    """Start a task, wait until its agent works, and cancel it afterwards."""
    run = (CAESAR, "run", command, "--agent", "shell", "--detach", "--json")
    task: dict[str, Any] = json.loads(bench.output(*run, cwd=root))
    try:
        wait_until(lambda: "sleep" in _names(task_processes(task["task_id"])))
        yield task
    finally:
        bench.run(CAESAR, "cancel", task["task_id"], cwd=root)


def _names(processes: Iterable[psutil.Process]) -> set[str]:
    names = set()
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # it ended since it was listed
            names.add(process.name())
    return names


def task_processes(task_id: str) -> list[psutil.Process]:
    """Return what a task started: everything that inherited its id, and its supervisor."""
    found = []
    for process in psutil.process_iter():
        try:
            marked = process.environ().get("CAESAR_TASK_ID") == task_id
            if marked or task_id in process.cmdline():
                found.append(process)
        except psutil.Error:
            continue
    return found


def is_running(process: psutil.Process) -> bool:
    """Whether a process works, zombies excluded."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def percent_of_a_core_alone(process: psutil.Process, span: float) -> float:
    """Return what a process uses of one core, without its children."""
    before = sum(process.cpu_times()[:2])
    CLOCK.sleep(span)
    return 100 * float(sum(process.cpu_times()[:2]) - before) / span


def _median_of_partial(bench: Bench, *command: str, cwd: Path) -> float:
    """Time a run that ends `partial` (exit 1): the napping agent hands in no report."""
    script = 'caesar=$0; "$caesar" "$@"; [ $? -le 1 ]'
    return bench.median("/bin/sh", "-c", script, *command, cwd=cwd).seconds
