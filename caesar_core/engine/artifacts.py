"""Files that a caller asked for by name: found writable before a task starts, written whole."""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from caesar_core.errors import CaesarError, OperationError


class UnwritableError(CaesarError):
    """A file that was asked for cannot be written."""

    code = "unwritable"


def check_targets(targets: Iterable[tuple[str, Path]]) -> None:
    """Refuse what could not be written later; folders are made, nothing else is left behind.

    Args:
        targets: the option that names a file, and the file.

    Raises:
        UnwritableError: a file cannot be written, or two options name the same one.
    """
    seen: dict[Path, str] = {}
    for option, path in targets:
        where = Path(os.path.abspath(path))  # noqa: PTH100 - the name as given, links unfollowed
        if where in seen and not _is_special(path):
            raise UnwritableError(f"{seen[where]} and {option} both name {path}.")
        seen[where] = option
        _probe(option, path)


@contextmanager
def target(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing; it takes the old one's place only when everything went well.

    A device or pipe, such as `/dev/stdout`, is written to as it is.

    Raises:
        OperationError: it cannot be written.
    """
    try:
        if _is_special(path):
            with path.open("wb", buffering=0) as out:
                yield out
            return
        temporary = _neighbour(path)
        try:
            with temporary.open("xb") as file:
                yield file
            temporary.replace(_resolved(path))
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()
    except OSError as error:
        raise OperationError(f"{path} cannot be written: {error.strerror}.") from None


def append_text(path: Path, text: str) -> None:
    """Append to a file that others append to as well.

    Raises:
        OperationError: it cannot be written.
    """
    try:
        with path.open("ab") as file:
            file.write(text.encode("utf-8", "replace"))
    except OSError as error:
        raise OperationError(f"{path} cannot be written: {error.strerror}.") from None


def _probe(option: str, path: Path) -> None:
    if path.is_dir():
        raise UnwritableError(f"{option}: {path} is a folder.", "Name a file in it.")
    try:
        if _is_special(path):
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _neighbour(path)
        temporary.open("xb").close()
        temporary.unlink()
    except OSError as error:
        raise UnwritableError(
            f"{option}: {path} cannot be written: {error.strerror}.",
            "Nothing was started. Name a file in a folder that you may write to.",
        ) from None


def _neighbour(path: Path) -> Path:
    """Return an unused name beside the file, or beside what a link of that name leads to."""
    resolved = _resolved(path)
    return resolved.with_name(f".{resolved.name[:200]}.{uuid.uuid4().hex}.tmp")


def _resolved(path: Path) -> Path:
    return path.resolve() if path.is_symlink() else path


def _is_special(path: Path) -> bool:
    """Whether something is there that is neither file nor folder."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
