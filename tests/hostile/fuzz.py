"""`python -m tests.hostile.fuzz [SECONDS] [TARGET …]`: coverage-guided fuzzing of our readers.

Needs atheris (`pip install atheris`, CPython 3.11 to 3.13 on Linux), and says so where it is not
installed. Each target runs in a process of its own; an input that defeats it is kept and named.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from tests.hostile.targets import TARGETS

_SECONDS: Final = 300
_LARGEST: Final = 1 << 14
_DONE: Final = re.compile(r"Done (\d+) runs in (\d+) second")
_COVERED: Final = re.compile(r"cov: (\d+)")
_JUNK: Final[tuple[object, ...]] = (
    None,
    True,
    0,
    -1,
    1e308,
    2**70,
    "",
    "\ud800",
    "x" * 300,
    [],
    {},
    [{}],
    {"type": {}},
)


def main(arguments: list[str]) -> int:
    """Fuzz the targets, all unless some are named; 1 when one was defeated."""
    if find_spec("atheris") is None:
        print("fuzz: skipped, atheris is not installed (pip install atheris)", flush=True)
        return 0
    numbers = [int(word) for word in arguments if word.isdecimal()]
    names = [word for word in arguments if not word.isdecimal()] or list(TARGETS)
    kept = Path(tempfile.mkdtemp(prefix="caesar-fuzz-", dir=_memory()))
    print(f"{'target':12} {'runs':>10} {'seconds':>8} {'covered':>8} {'result':>8}", flush=True)
    defeated = [name for name in names if not _fuzz(name, (numbers or [_SECONDS])[0], kept)]
    if not defeated:
        shutil.rmtree(kept)
    return 1 if defeated else 0


def _memory() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def _fuzz(name: str, seconds: int, kept: Path) -> bool:
    """Run one target in a process; whether nothing defeated it."""
    corpus = kept / name
    corpus.mkdir()
    command = [sys.executable, "-m", "tests.hostile.fuzz", "--in-this-process", name, str(corpus)]
    limits = [f"-max_total_time={seconds}", f"-max_len={_LARGEST}", "-timeout=10"]
    limits += ["-rss_limit_mb=2048", f"-artifact_prefix={kept}/{name}-", "-print_final_stats=0"]
    done = subprocess.run([*command, *limits], capture_output=True, text=True, check=False)
    runs, took = (_DONE.findall(done.stderr) or [("?", "?")])[-1]
    covered = (_COVERED.findall(done.stderr) or ["?"])[-1]
    sound = done.returncode == 0
    result = "sound" if sound else "DEFEATED"
    print(f"{name:12} {runs:>10} {took:>8} {covered:>8} {result:>8}", flush=True)
    if not sound:
        print(
            "\n".join([*done.stdout.splitlines()[-30:], *done.stderr.splitlines()[-8:]]), flush=True
        )
    return sound


def fuzz_here(name: str, corpus: str, options: list[str]) -> None:
    """Fuzz one target until its time is over; ends the process."""
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["caesar_core", "tomllib"]):
        feed, seeds = TARGETS[name](Path(corpus, os.pardir, f"{name}-root"))
    for number, seed in enumerate(seeds):
        Path(corpus, f"seed-{number}").write_bytes(seed[:_LARGEST])

    def mutate(data: bytes, largest: int, seed: int) -> bytes:
        return _mutated(data, largest, random.Random(seed), atheris.Mutate)

    atheris.Setup([sys.argv[0], *options, corpus], feed, custom_mutator=mutate)
    atheris.Fuzz()


def _mutated(
    data: bytes, largest: int, chance: random.Random, plainly: Callable[[bytes, int], bytes]
) -> bytes:
    """Change one value of one line of JSON, so that it stays JSON; else, or by chance, any byte."""
    lines = data[1:].split(b"\n")
    at = chance.randrange(len(lines))
    try:
        document = json.loads(lines[at])
    except (ValueError, RecursionError):
        return plainly(data, largest)
    if chance.random() < 0.2:
        return plainly(data, largest)
    lines[at] = json.dumps(_changed(document, chance)).encode()
    return (data[:1] + b"\n".join(lines))[:largest]


def _changed(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(sorted(value))
        if chance.random() < 0.1:
            return {name: part for name, part in value.items() if name != key}
        return {**value, key: _changed(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [*value[:at], _changed(value[at], chance), *value[at + chance.randrange(2) :]]
    return chance.choice(_JUNK)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in-this-process"]:
        fuzz_here(sys.argv[2], sys.argv[3], sys.argv[4:])
    raise SystemExit(main(sys.argv[1:]))
