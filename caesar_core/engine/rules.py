"""Whether a rule of `[[answer]]` is meant for a question that an agent wrote."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import lru_cache
from typing import Final

PATIENCE: Final = 2.0  # seconds
# Without a repetition nothing has to be tried over and over; `(?` begins a group.
_REPEATS: Final = re.compile(r"[*+{]|(?<!\()\?")
_SEARCH: Final = (
    "import re, sys\n"
    "sys.stdin.reconfigure(encoding='utf-8', errors='surrogatepass', newline='')\n"
    "sys.exit(0 if re.search(sys.argv[1], sys.stdin.read()) else 1)\n"
)


@lru_cache(maxsize=256)
def rule_fits(match: str, question: str) -> bool | None:
    """Whether the regular expression is found in the question, `None` when it took too long.

    Some expressions take years for some texts, and nothing in this process could stop them: no
    signal and no cancel. So those that could are searched for in a process that can be ended.
    Never raises; an expression that is not one fits nothing.
    """
    try:
        expression = re.compile(match)
    except (re.error, OverflowError, RecursionError):
        return False
    if not _REPEATS.search(match):
        return expression.search(question) is not None
    return _search_elsewhere(match, question)


def _search_elsewhere(match: str, question: str) -> bool | None:
    try:
        found = subprocess.run(
            (sys.executable, "-I", "-S", "-c", _SEARCH, match),
            input=question.encode("utf-8", "surrogatepass"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    except (OSError, ValueError):
        return False
    return found.returncode == 0
