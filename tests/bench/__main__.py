"""`make bench`: print what everything takes on this machine, beside what it is meant to take.

Nothing is asserted: a clock on a shared machine lies. Give words to choose rows, `-n N` to repeat,
`CAESAR_REFERENCE=<command>` to run the reference implementation on the same projects beside it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys

from tests.bench.measure import CAESAR, bench
from tests.bench.rows import ROWS, Row


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("words", nargs="*", help="only rows that contain one of these")
    parser.add_argument("-n", type=int, default=7, help="how often each row is measured")
    options = parser.parse_args(arguments)
    chosen = [row for row in ROWS if _is_wanted(row, options.words)]
    width = max((len(row.name) for row in chosen), default=0)
    reference = tuple(shlex.split(os.environ.get("CAESAR_REFERENCE", "")))
    titles = ["ours", *(["reference"] if reference else []), "goal"]
    print(f"| {'case':<{width}} |", " | ".join(f"{title:<17}" for title in titles), "|")
    print(f"|{'-' * (width + 2)}|" + f"{'-' * 19}|" * len(titles))
    for row in chosen:
        cells = [_measured(row, options.n, (CAESAR,))]
        if reference:
            cells.append(_measured(row, options.n, reference) if row.comparable else "-")
        cells.append(row.goal)
        print(f"| {row.name:<{width}} |", " | ".join(f"{cell:<17}" for cell in cells), "|")
        sys.stdout.flush()
    return 0


def _is_wanted(row: Row, words: list[str]) -> bool:
    return not words or any(word in row.name for word in words)


def _measured(row: Row, repeat: int, program: tuple[str, ...]) -> str:
    with bench(repeat, program) as place:
        try:
            return row.measure(place)
        except (RuntimeError, TimeoutError, subprocess.CalledProcessError) as error:
            print(f"{row.name}: {error}", file=sys.stderr)
            return "failed"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
