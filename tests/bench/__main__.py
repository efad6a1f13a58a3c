"""`make bench`: print what everything takes on this machine, beside what it is meant to take.

Nothing is asserted: a clock on a shared machine lies. Give words to choose rows, `-n N` to repeat.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from tests.bench.measure import bench
from tests.bench.rows import ROWS, Row


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("words", nargs="*", help="only rows that contain one of these")
    parser.add_argument("-n", type=int, default=7, help="how often each row is measured")
    options = parser.parse_args(arguments)
    chosen = [row for row in ROWS if _is_wanted(row, options.words)]
    width = max((len(row.name) for row in chosen), default=0)
    print(f"| {'case':<{width}} | {'ours':<17} | {'goal':<17} |")
    print(f"|{'-' * (width + 2)}|{'-' * 19}|{'-' * 19}|")
    for row in chosen:
        print(f"| {row.name:<{width}} | {_measured(row, options.n):<17} | {row.goal:<17} |")
        sys.stdout.flush()
    return 0


def _is_wanted(row: Row, words: list[str]) -> bool:
    return not words or any(word in row.name for word in words)


def _measured(row: Row, repeat: int) -> str:
    with bench(repeat) as place:
        try:
            return row.measure(place)
        except (RuntimeError, TimeoutError, subprocess.CalledProcessError) as error:
            print(f"{row.name}: {error}", file=sys.stderr)
            return "failed"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
