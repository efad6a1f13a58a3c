"""The two streams: what happens when whoever reads them leaves."""

from __future__ import annotations

import io
import os
import pty

import pytest

from caesar_core.cli.output import Output


def test_a_pipe_without_its_reader_is_noticed_before_anything_is_written() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream:
        assert Output(stream).has_reader()
        os.close(reader)
        assert not Output(stream).has_reader()
    assert Output(io.StringIO()).has_reader()


def test_p11_a_terminal_that_was_closed_is_a_reader_that_has_left() -> None:
    """Its error would otherwise be one of input and output, and the exit code Python's own."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as stream:
        output = Output(stream)
        output.line("somebody reads this")
        os.close(master)

        with pytest.raises(BrokenPipeError):
            output.line("nobody")
        with pytest.raises(BrokenPipeError):
            output.data(b"nobody\n")
        output.discard()


def test_p11_any_other_error_of_a_device_stays_what_it_is() -> None:
    with open("/dev/full", "w") as stream:  # noqa: PTH123 - a device
        output = Output(stream)

        with pytest.raises(OSError, match="No space left"):
            output.line("x")
        output.discard()
