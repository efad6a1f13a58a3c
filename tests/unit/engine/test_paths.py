"""Names of files as people give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.engine.paths import in_repository


@pytest.mark.parametrize(
    ("given", "prefix", "named"),
    [
        ("a.py", "", "a.py"),
        ("./a.py", "sub", "sub/a.py"),
        ("../a.py", "sub", "a.py"),
        ("/r/p/sub/a.py", "sub", "sub/a.py"),
        ("/r/p/x/../a.py", "sub", "a.py"),
        ("/r/p/other/a.py", "sub", "other/a.py"),
        ("/r/pp/a.py", "sub", "/r/pp/a.py"),
        ("/etc/passwd", "", "/etc/passwd"),
    ],
)
def test_absolute_path_below_the_top_names_its_file(given: str, prefix: str, named: str) -> None:
    assert in_repository(given, prefix, Path("/r/p")) == named
