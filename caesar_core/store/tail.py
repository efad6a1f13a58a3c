"""Reading a growing file: by byte offset, complete lines only, each byte once (ADR 0009)."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.store.atomic import StoreError, open_regular, store_error

LINE_CAP: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class TailRead:
    """What one look at the file brought.

    Attributes:
        lines: complete lines without their end (LF or CRLF).
        start: byte offset of the first of them.
        offset: byte offset behind the last of them: where a reader may resume.
        more: whether there is more to read at once.
        reset: whether the file was replaced or cut; what was read before is void and `lines`
            begin at its start.
        cut: how many of `lines` were longer than the cap and end in a mark that says so.

    """

    lines: list[bytes]
    start: int
    offset: int
    more: bool = False
    reset: bool = False
    cut: int = 0


class Tail:
    """A reader that remembers how far it came.

    Args:
        path: the file; it may not exist yet.
        offset: where to begin: 0 or the `offset` of an earlier read.
        cap: bytes that are kept of one line.

    """

    def __init__(self, path: Path, offset: int = 0, *, cap: int = LINE_CAP) -> None:
        self._path = path
        self._cap = cap
        self._inode: tuple[int, int] | None = None
        self._rewind(offset)

    @property
    def offset(self) -> int:
        """Byte offset behind the last complete line that was returned."""
        return self._offset

    def read(self, limit: int = 1 << 20) -> TailRead:
        """Read at most `limit` new bytes and return the lines that they complete.

        A missing file reads as empty. A file that did not change is only stat'ed.

        Raises:
            StoreError: something else than a regular file is there, or it cannot be read.

        """
        reset = False
        try:
            status = self._path.lstat()
        except FileNotFoundError:
            return TailRead([], self._offset, self._offset)
        except OSError as error:
            raise store_error("read", self._path, error) from error
        if self._was_replaced(status):
            self._rewind(0)
            reset = True
        self._inode = (status.st_dev, status.st_ino)
        if stat.S_ISREG(status.st_mode) and status.st_size == self._position:
            return TailRead([], self._offset, self._offset, reset=reset)
        data, size = self._fetch(limit)
        start = self._offset
        lines, cut = self._split(data)
        return TailRead(lines, start, self._offset, self._position < size, reset, cut)

    def _was_replaced(self, status: os.stat_result) -> bool:
        other = self._inode is not None and self._inode != (status.st_dev, status.st_ino)
        return other or status.st_size < self._position

    def _rewind(self, offset: int) -> None:
        self._offset = self._position = offset
        self._partial = bytearray()
        self._dropped = 0

    def _fetch(self, limit: int) -> tuple[bytes, int]:
        try:
            with open_regular(self._path) as (descriptor, status):
                return os.pread(descriptor, limit, self._position), status.st_size
        except FileNotFoundError:
            return b"", self._position
        except OSError as error:
            raise store_error("read", self._path, error) from error

    def _split(self, data: bytes) -> tuple[list[bytes], int]:
        self._position += len(data)
        first, *others = data.split(b"\n")
        self._hold(first)
        if not others:
            return [], 0
        lines, cut = [], 0
        for piece in others:
            line, dropped = self._release()
            lines.append(line)
            cut += dropped > 0
            self._hold(piece)
        self._offset = self._position - len(others[-1])
        return lines, cut

    def _hold(self, piece: bytes) -> None:
        room = self._cap - len(self._partial)
        self._partial += piece[:room]
        self._dropped += max(0, len(piece) - room)

    def _release(self) -> tuple[bytes, int]:
        """Return the line that is now complete and how many bytes of it were dropped."""
        line, dropped = bytes(self._partial), self._dropped
        self._partial.clear()
        self._dropped = 0
        if dropped:
            return line + b" [cut: %d bytes]" % dropped, dropped
        return line.removesuffix(b"\r"), 0


__all__ = ["LINE_CAP", "StoreError", "Tail", "TailRead"]
