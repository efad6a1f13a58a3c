"""The errors that a person is meant to read.

Every refusal in the product is a :class:`CaesarError`: what happened, what to do about it, and the
exit code that a script sees. Anything else that escapes is a defect and ends in the log file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_BLOCKED: Final = 3
EXIT_TIMED_OUT: Final = 4
EXIT_CONFLICT: Final = 5
EXIT_CANCELLED: Final = 130


class CaesarError(Exception):
    """An expected failure.

    Attributes:
        message: one sentence that says what happened and where.
        hint: what to do next; empty when there is nothing to advise.
        exit_code: the process exit code (see docs/commands.md).
        code: a stable machine-readable name, the `error.code` of `--json`.

    """

    exit_code: int = EXIT_USAGE
    code: str = "usage"

    def __init__(
        self, message: str, hint: str = "", *, exit_code: int | None = None, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code
        if code is not None:
            self.code = code


class NotFoundError(CaesarError):
    """A task, question or file that was named does not exist."""

    code = "not_found"


class OperationError(CaesarError):
    """Something outside of us failed: disk, git, a process."""

    exit_code = EXIT_FAILED
    code = "failed"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint: the known name most like `name`, else all of them."""
    from difflib import get_close_matches

    names = sorted(known)
    close = get_close_matches(name, names, n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"Known: {', '.join(names)}." if names else "None is known."
