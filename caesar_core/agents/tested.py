"""The versions of the CLIs that the adapters were driven with (`make test-real`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_NUMBERS: Final = re.compile(r"(?<![\d.])(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class Tested:
    """Versions from `first`, which was driven, up to but not including `before`."""

    first: str
    before: str

    def doubt(self, told: str) -> str:
        """Return why a version is doubtful, as a clause; empty when it is not, or nobody knows.

        Args:
            told: what the program prints for `--version`.
        """
        version = _numbers(told)
        if version is None:
            return ""
        if version < (_numbers(self.first) or ()):
            return f"older than {self.first}, which the adapter was tried with"
        if version >= (_numbers(self.before) or ()):
            return f"newer than {self.first}, which the adapter was tried with"
        return ""


TESTED: Final = {
    "codex": Tested("0.169.0", "0.170.0"),
    "claude": Tested("2.1.328", "2.2.0"),
    "opencode": Tested("1.18.33", "1.19.0"),
    "copilot": Tested("1.0.102", "1.1.0"),
    "gemini": Tested("0.61.0", "0.62.0"),
}


def _numbers(text: str) -> tuple[int, ...] | None:
    found = _NUMBERS.search(text)
    return None if found is None else tuple(int(number or 0) for number in found.groups())
