"""Where a defect of caesar itself leaves its traceback."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from caesar_core import VERSION
from caesar_core.home import expand_home

# A link or a FIFO in the place of the log would make us write elsewhere, or wait.
_FLAGS: Final = (
    os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
)


def options_of(arguments: Sequence[str]) -> Sequence[str]:
    """Return the arguments before a `--`: what follows is not for us."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def keep_traceback(arguments: Sequence[str]) -> str:
    """Write the current traceback to the project's log, else to a new file; return its path."""
    import tempfile
    import traceback

    from caesar_core.clock import SystemClock, iso
    from caesar_core.store.layout import Layout

    moment = iso(SystemClock().now())
    text = f"{moment} caesar {VERSION} {list(arguments)!r}\n{traceback.format_exc()}\n"
    data = text.encode("utf-8", "replace")
    with suppress(OSError):  # the current folder may be gone
        log = Layout(_root(options_of(arguments))).log
        if log.parent.is_dir() and _append(log, data):
            return str(log)
    with suppress(OSError):
        descriptor, name = tempfile.mkstemp(prefix="caesar-", suffix=".log")
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        return name
    return "nowhere: no log file could be written"


def _root(options: Sequence[str]) -> Path:
    from caesar_core.store.layout import find_root

    for option, value in zip(options, [*options[1:], ""], strict=True):
        if option == "--root":
            return expand_home(value).resolve()
        if option.startswith("--root="):
            return expand_home(option.removeprefix("--root=")).resolve()
    return find_root(Path.cwd())


def _append(path: Path, data: bytes) -> bool:
    descriptor = os.open(path, _FLAGS, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        os.write(descriptor, data)
    finally:
        os.close(descriptor)
    return True
