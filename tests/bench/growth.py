"""How what is read often grows with the number of tasks: `python -m tests.bench.growth`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import psutil

from tests.bench.measure import CAESAR, Bench, bench, percent_of_a_core
from tests.bench.stores import past_project

SIZES = (1, 10, 100, 1_000, 10_000)
LIVE = 60
_MOST_LIVE = 500  # making them takes longer than measuring


def main(arguments: list[str]) -> int:
    """Print a table: one row a command, one column a size."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth")
    parser.add_argument("-n", type=int, default=3, help="how often each cell is measured")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest size")
    options = parser.parse_args(arguments)
    sizes = [size for size in SIZES if size <= options.most]
    print("| tasks |", " | ".join(f"{size:,}" for size in sizes), "|")
    print("|" + " --- |" * (len(sizes) + 1))
    with bench(options.n) as place:
        past = [past_project(place, size, 0) for size in sizes]
        live = [past_project(place, 0, size) for size in sizes if size <= _MOST_LIVE]
        row(place, "`ps`, that many past", past, "ps")
        row(place, "`ps --all`, that many past", past, "ps", "--all")
        row(place, "`watch --once`, that many past", past, "watch", "--once")
        row(place, "`run`, that many past", past, "run", "--agent", "shell", "true")
        row(place, "`ps`, that many running", live, "ps")
        row(place, "`watch --once`, that many running", live, "watch", "--once")
        print()
        print(f"{LIVE} running and {sizes[-1]:,} past tasks:", scale(place, sizes[-1]))
    return 0


def row(place: Bench, name: str, roots: list[Path], *command: str) -> None:
    """Measure one command in each project."""
    cells = []
    for root in roots:
        run = place.median(CAESAR, *command, cwd=root)
        cells.append(f"{run.seconds:.2f} s, {run.mebibytes:.0f} MiB")
    print(f"| {name} |", " | ".join(cells), "|", flush=True)


def scale(place: Bench, past: int) -> str:
    """Measure one screen of a large project, and watching it while nothing happens."""
    root = past_project(place, past, LIVE)
    listed = place.median(CAESAR, "ps", cwd=root)
    frame = place.median(CAESAR, "watch", "--once", cwd=root)
    with psutil.Popen([CAESAR, "watch", "--plain"], cwd=root, env=place.env, stdout=-3) as watcher:
        process = psutil.Process(watcher.pid)
        percent_of_a_core(process, 5)  # it reads what there is first
        used, size = percent_of_a_core(process, 10), process.memory_info().rss / 2**20
        watcher.terminate()
    return (
        f"`ps` {listed.seconds:.2f} s, `watch --once` {frame.seconds:.2f} s and"
        f" {frame.mebibytes:.0f} MiB, watching at rest {used:.1f} % of a core and {size:.0f} MiB"
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
