"""What the machine brings: git, the kernel's watches, Python."""

from __future__ import annotations

import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.process.spawn import which
from caesar_core.process.version import program_version

LEAST_GIT: Final = (2, 38)
_INOTIFY: Final = Path("/proc/sys/fs/inotify")
_FEW_WATCHES: Final = 8192


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the machine.

    Attributes:
        state: `ok`, `warn` when something is worse than it could be, `bad` when nothing works.
        remedy: what to do about it; empty when it is fine.
    """

    name: str
    state: str
    detail: str
    remedy: str = ""


def git_part() -> Part:
    """Return which git there is."""
    path = which("git", os.environ.get("PATH", os.defpath))
    remedy = "Install git 2.38 or newer."
    if path is None:
        return Part("git", "bad", "not found on PATH", remedy)
    version = program_version(path, os.environ) or "unknown version"
    found = re.search(r"(\d+)\.(\d+)", version)
    recent = found is not None and (int(found[1]), int(found[2])) >= LEAST_GIT
    return Part("git", "ok" if recent else "bad", version, "" if recent else remedy)


def python_part() -> Part:
    """Return which Python runs us."""
    return Part("python", "ok", f"{platform.python_version()} ({sys.executable})")


def watcher_part(limits: Path = _INOTIFY) -> Part:
    """Return how changes of files are noticed, and whether there is room for it."""
    if not limits.is_dir():
        return Part("watcher", "ok", f"{sys.platform}: events where there are any, else polling")
    watches = _number(limits / "max_user_watches")
    instances = _number(limits / "max_user_instances")
    detail = f"inotify: {watches} watches, {instances} instances"
    if watches is not None and watches < _FEW_WATCHES:
        remedy = "More: sysctl fs.inotify.max_user_watches=524288. Without them it polls."
        return Part("watcher", "warn", detail, remedy)
    return Part("watcher", "ok", detail)


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None
