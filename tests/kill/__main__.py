"""`python -m tests.kill [NAME]`: every process, killed before every step that it takes.

They get the other signals too, before every tenth step; `NAME` may be that of a signal.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from signal import SIGHUP, SIGKILL, SIGSTOP, SIGTERM, Signals
from typing import Final

from tests.kill.scenarios import SCENARIOS
from tests.kill.sweep import Fate, Scenario, fate_of, rehearsed

_TENTH: Final = 10


def main(names: list[str]) -> int:
    """Run the scenarios, all unless some are named; 1 when anything was wrong."""
    os.environ.update(GIT_CONFIG_NOSYSTEM="1", LC_ALL="C.UTF-8")
    wrong = 0
    print(f"{'process':28} {'signal':8} {'deaths':>6} {'wrong':>6} {'seconds':>8}", flush=True)
    for scenario in SCENARIOS:
        if not names or scenario.name in names:
            wrong += _run(scenario, SIGKILL, 1)
    for number in (SIGTERM, SIGHUP, SIGSTOP):
        if not names or number.name in names:
            wrong += sum(_run(each, number, _TENTH) for each in SCENARIOS if each.hears)
    return 1 if wrong else 0


def _run(scenario: Scenario, number: Signals, every: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="caesar-kill-"))
    began, fates = time.monotonic(), list[Fate]()
    try:
        world, found = rehearsed(scenario, folder)
        for death in found[::every]:
            fate = fate_of(scenario, world, replace(death, number=number))
            fates.append(fate)
            if fate.wrong:
                print(f"  {fate.death}: {'; '.join(fate.wrong)}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    died, wrong = sum(fate.died for fate in fates), sum(bool(fate.wrong) for fate in fates)
    took = time.monotonic() - began
    print(f"{scenario.name:28} {number.name:8} {died:6} {wrong:6} {took:8.0f}", flush=True)
    return wrong


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
