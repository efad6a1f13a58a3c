"""Names for what is being written, which tell who writes it: what a dead writer left can go."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from caesar_core.identity import is_signed_by_dead, signature


def draft_of(path: Path) -> Path:
    """Return a hidden neighbour of `path` that nobody else writes, for this process."""
    return path.with_name(f".{path.name[:160]}.{signature()}.{uuid.uuid4().hex}.tmp")


def remove_drafts(folders: Iterable[Path]) -> None:
    """Remove from the folders what processes were writing that are dead for sure."""
    for folder in folders:
        with suppress(OSError):
            names = [entry.name for entry in os.scandir(folder) if entry.name.endswith(".tmp")]
            for name in names:
                if name.startswith(".") and is_signed_by_dead(name):
                    _remove(folder / name)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink()
