"""Folders for a moment's work, outside of the repository; those of killed processes can be told."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from caesar_core.errors import OperationError
from caesar_core.identity import is_signed_by_dead, signature
from caesar_core.repo.worktree import delete_tree

_PREFIX: Final = "caesar-"


def scratch_folder(kind: str) -> tempfile.TemporaryDirectory[str]:
    """Return a context that gives a folder below `$TMPDIR`, gone at its end."""
    return tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{kind}-{signature()}-")


def remove_abandoned_scratch() -> None:
    """Remove the folders of this user's processes that were killed."""
    with suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            if not entry.name.startswith(_PREFIX) or not is_signed_by_dead(entry.name):
                continue
            ours = entry.stat(follow_symlinks=False).st_uid == os.getuid()
            if ours and entry.is_dir(follow_symlinks=False):
                with suppress(OperationError):
                    delete_tree(Path(entry.path))
