"""What `--context` takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.cli.commands.run import context_of
from caesar_core.errors import CaesarError


def test_context_is_the_text_or_what_the_file_holds(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_text("café\n")
    assert context_of("plain") == "plain"
    assert context_of(f"@{file}") == "café\n"


@pytest.mark.parametrize("data", [b"caf\xe9", b"a\0b", b"\x7fELF\x00\xff"])
def test_context_that_is_no_text_is_refused_with_its_file(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "program"
    file.write_bytes(data)
    with pytest.raises(CaesarError, match="is not UTF-8 text") as caught:
        context_of(f"@{file}")
    assert str(file) in caught.value.message
    assert "objective" in caught.value.hint
    assert caught.value.exit_code == 2
