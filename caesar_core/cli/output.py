"""The only writer of stdout and stderr: data on the one, narration on the other."""

from __future__ import annotations

import errno
import json
import locale
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final, TextIO

from caesar_core.text import visible

_TRUE: Final = {
    "accent": "38;2;234;165;46",
    "dim": "38;2;158;146;132",
    "ok": "38;2;125;206;130",
    "warn": "38;2;224;175;104",
    "bad": "38;2;232;131;136",
    "bold": "1",
}
_SIXTEEN: Final = {
    "accent": "33",
    "dim": "2",
    "ok": "32",
    "warn": "33",
    "bad": "31",
    "bold": "1",
}


_OBEYING_SERVICES: Final = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
# The same in JSON: a number sign stands in strings only. `##[…]` is a command to some services.
_NUMBER_SIGNS: Final = "#\\u0023"


class Output:
    """One of the two streams.

    Attributes:
        is_terminal: whether a person sees it directly.
    """

    def __init__(self, stream: TextIO, *, color: bool | None = None) -> None:
        self._stream = stream
        self._color = wants_color(stream) if color is None else color
        self.is_terminal = stream.isatty()

    @property
    def width(self) -> int:
        """Columns of the terminal, 80 when there is none."""
        return shutil.get_terminal_size((80, 24)).columns if self.is_terminal else 80

    @property
    def encoding(self) -> str:
        """What the terminal can show, by its locale."""
        return locale_encoding()

    def line(self, text: str = "") -> None:
        """Write one line; the text has been made harmless by whoever built it."""
        self.write(f"{text}\n")

    def write(self, text: str) -> None:
        """Write text at once, as it is unless a CI service would obey it."""
        if _is_obeyed():
            from caesar_core.ci.workflow import without_commands

            text = without_commands(text)
        self._put(text)

    def command(self, line: str) -> None:
        """Write a command to the CI service that reads this output."""
        self._put(f"{line}\n")

    def _put(self, text: str) -> None:
        with self._reader_may_leave():
            try:
                self._stream.write(text)
            except UnicodeEncodeError:
                encoding = self._stream.encoding or "ascii"
                self._stream.write(text.encode(encoding, "replace").decode(encoding))
            self._stream.flush()

    def data(self, data: bytes) -> None:
        """Write bytes as they are."""
        with self._reader_may_leave():
            self._stream.flush()
            self._stream.buffer.write(data)
            self._stream.buffer.flush()

    @contextmanager
    def _reader_may_leave(self) -> Iterator[None]:
        """Take a terminal that was closed for what it is, a reader that has left, as of a pipe."""
        try:
            yield
        except OSError as error:
            # Not `isatty`, which a closed terminal answers with no.
            is_device = stat.S_ISCHR(os.fstat(self._stream.fileno()).st_mode)
            if error.errno in {errno.EIO, errno.ENXIO} and is_device:
                raise BrokenPipeError(error.errno, error.strerror) from error
            raise

    @property
    def binary(self) -> BinaryIO:
        """The stream for bytes, for what writes a lot of them itself."""
        self._stream.flush()
        return self._stream.buffer

    def has_reader(self) -> bool:
        """Whether the other end of a pipe is still open; yes for whatever is no pipe."""
        import select

        if not hasattr(select, "poll"):  # Windows: found out by the next write
            return True
        with suppress(OSError, ValueError):
            poll = select.poll()
            poll.register(self._stream.fileno(), 0)  # errors and hang-ups are always told
            return not poll.poll(0)
        return True

    def discard(self) -> None:
        """Let what is still buffered, and all that follows, go nowhere: nobody reads it."""
        with suppress(OSError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._stream.fileno())
            os.close(null)

    @property
    def has_color(self) -> bool:
        """Whether colours belong on it."""
        return self._color

    def json(self, value: Any) -> None:
        """Write one compact line of JSON."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
        self._put(f"{text.replace('##', _NUMBER_SIGNS) if _is_obeyed() else text}\n")

    def json_line(self, line: bytes) -> None:
        """Write one line of JSON that is there already, newline not included."""
        escaped = line.replace(b"##", _NUMBER_SIGNS.encode()) if _is_obeyed() else line
        self.data(escaped + b"\n")

    def paint(self, style: str, text: str) -> str:
        """Return `text` in one of the palette's colours, where colours are wanted."""
        if not self._color or not text:
            return text
        table = _TRUE if os.environ.get("COLORTERM") in {"truecolor", "24bit"} else _SIXTEEN
        return f"\x1b[{table[style]}m{text}\x1b[0m"


def _is_obeyed() -> bool:
    """Whether a CI service takes commands from what we print."""
    return any(os.environ.get(name) for name in _OBEYING_SERVICES)


def wants_color(stream: TextIO) -> bool:
    """Whether colours belong on a stream: `NO_COLOR`, `FORCE_COLOR`, `TERM`, a terminal or not."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") not in (None, "", "0"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def locale_encoding() -> str:
    """Return the encoding that the environment's locale names."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = os.environ.get(name)
        if value:
            return "utf-8" if "utf" in value.lower() else "ascii"
    return locale.getencoding()


def prepare_streams() -> None:
    """Make both streams take any text: what cannot be encoded is replaced, never an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def stdout(*, color: bool | None = None) -> Output:
    """Return the stream for data."""
    return Output(sys.stdout, color=color)


def stderr() -> Output:
    """Return the stream for narration."""
    return Output(sys.stderr)


def complain(message: str, hint: str = "") -> None:
    """Tell a person what went wrong and what to do, in one or two lines."""
    err = stderr()
    err.line(f"{err.paint('bad', 'caesar:')} {visible(message, keep_newlines=True)}")
    if hint:
        err.line(f"  {visible(hint, keep_newlines=True)}")
