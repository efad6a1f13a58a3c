"""`make soak`: hand out many tasks one after the other and look whether anything piles up.

    python -m tests.bench.soak [-n 1000] [--every 100]

Each of the tasks runs an agent that changes a file, commits every third time, and leaves a process
behind every fifth time. After every `--every` tasks their worktrees are collected and everything
is counted: what is not flat is named, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import psutil

from tests.bench.measure import CAESAR, CLOCK, Bench, bench, wait_until
from tests.bench.stores import empty_project

_AGENT = (
    "echo {n} > f{n}.txt; [ $(({n} % 3)) = 0 ] && git add -A && git commit -qm {n};"
    " [ $(({n} % 5)) = 0 ] && (sleep 600 >/dev/null 2>&1 &); true"
)


@dataclass(frozen=True, slots=True)
class Counts:
    """What there is at one moment.

    Attributes:
        processes: with the marker of a task of ours in their environment.
        branches: below `caesar/`.
        worktrees: that git knows, besides the main one.
        locks, slots, plans: files below `.caesar/state`.
        spools: folders of spools in task directories.
        temporary: entries of the folder for temporary files.
    """

    processes: int
    branches: int
    worktrees: int
    locks: int
    slots: int
    plans: int
    spools: int
    temporary: int


def main(arguments: list[str]) -> int:
    """Run it and print a row of counts now and then."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak")
    parser.add_argument("-n", type=int, default=int(os.environ.get("CAESAR_SOAK", "1000")))
    parser.add_argument("--every", type=int, default=100)
    options = parser.parse_args(arguments)
    names = [spec.name for spec in fields(Counts)]
    print("| tasks | seconds a task |", " | ".join(names), "| supervisor descriptors, threads |")
    print("|" + " --- |" * (len(names) + 3))
    with bench(1) as place:
        rows = list(soak(place, options.n, options.every))
    grown = {n for n in names if getattr(rows[-1], n) > getattr(rows[0], n)}
    print("flat" if not grown else f"grew: {', '.join(sorted(grown))}")
    return 1 if grown else 0


def soak(place: Bench, count: int, every: int) -> Iterator[Counts]:
    """Run `count` tasks; yield the counts at the beginning and after every portion."""
    root = empty_project(place, "soak")
    temporary = place.folder / "tmp"
    temporary.mkdir()
    place.env["TMPDIR"] = str(temporary)
    place.run(CAESAR, "run", "true", "--agent", "shell", cwd=root)
    place.run(CAESAR, "gc", "--force", cwd=root)
    yield show(0, 0.0, look(root, temporary), "")
    began = CLOCK.monotonic()
    for number in range(1, count + 1):
        place.run(CAESAR, "run", _AGENT.format(n=number), "--agent", "shell", cwd=root)
        if number % every == 0 or number == count:
            each = (CLOCK.monotonic() - began) / number
            inner = supervisor_inside(place, root)
            place.run(CAESAR, "gc", "--force", cwd=root)
            yield show(number, each, look(root, temporary), inner)


def look(root: Path, temporary: Path) -> Counts:
    """Count what there is."""
    git, state = root / ".git", root / ".caesar" / "state"
    heads = git / "refs" / "heads" / "caesar"
    return Counts(
        processes=sum(1 for _ in marked(root)),
        branches=sum(path.is_file() for path in heads.rglob("*")),
        worktrees=files(git / "worktrees"),
        locks=files(state / "locks") + files(state / "worktrees-in-use"),
        slots=len(list((state / "slots").glob("*.json")))
        + len(list((state / "queue").glob("*.json"))),
        plans=files(state / "plans"),
        spools=len(list((root / ".caesar" / "tasks").glob("*/spool"))),
        temporary=files(temporary),
    )


def marked(root: Path) -> Iterator[psutil.Process]:
    """Return the processes that belong to a task of this project."""
    for process in psutil.process_iter():
        try:
            if process.environ().get("CAESAR_TASK_DIR", "").startswith(str(root)):
                yield process
        except psutil.Error:
            continue


def supervisor_inside(place: Bench, root: Path) -> str:
    """Return how many descriptors and threads the supervisor of one more task has."""
    task = place.output(CAESAR, "run", "sleep 60", "--agent", "shell", "--detach", cwd=root)
    found: list[psutil.Process] = []

    def works() -> bool:
        found[:] = [p for p in psutil.process_iter() if task in " ".join(_words(p))]
        return any(True for _ in marked(root)) and bool(found)

    wait_until(works)
    inside = f"{found[0].num_fds()}, {found[0].num_threads()}"
    place.run(CAESAR, "cancel", task, cwd=root)
    return inside


def _words(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def files(folder: Path) -> int:
    """Return how many entries a folder has; none when it is not there."""
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def show(number: int, each: float, counts: Counts, inner: str) -> Counts:
    """Print a row and return its counts."""
    values = " | ".join(str(getattr(counts, spec.name)) for spec in fields(Counts))
    print(f"| {number} | {each:.2f} | {values} | {inner} |", flush=True)
    return counts


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
