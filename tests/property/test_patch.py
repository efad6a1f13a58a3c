"""Patches of random files, read back, against the files themselves."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from caesar_core.repo.patch import Line, iter_rows, parse_patch

lines = st.lists(
    st.sampled_from([b"", b"a", b"b", b"-- a/x", b"++ b/x", b"@@ -1 +1 @@", b"diff --git a/x b/x"]),
    max_size=12,
)


def side(found: list[Line | None]) -> bytes:
    kept = [line for line in found if line is not None]
    return b"".join(line.text.encode() + (b"\n" if line.ends else b"") for line in kept)


@settings(max_examples=60, deadline=None)
@given(old=lines, new=lines, old_ends=st.booleans(), new_ends=st.booleans())
def test_both_sides_are_rebuilt_from_the_rows(
    old: list[bytes], new: list[bytes], *, old_ends: bool, new_ends: bool
) -> None:
    before = b"\n".join(old) + (b"\n" if old_ends else b"")
    after = b"\n".join(new) + (b"\n" if new_ends else b"")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "old").write_bytes(before)
        Path(folder, "new").write_bytes(after)
        patch = subprocess.run(
            ["git", "diff", "--no-index", "-U1000", "old", "new"],
            cwd=folder,
            capture_output=True,
            check=False,
        ).stdout
    files = parse_patch(patch) if patch else ()
    rows = [row for file in files for hunk in file.hunks for row in iter_rows(hunk)]
    if before == after:
        assert files == ()
    else:
        assert len(files) == 1
        assert side([row.left for row in rows]) == before
        assert side([row.right for row in rows]) == after


@given(st.lists(st.one_of(st.binary(max_size=12), lines.map(b"\n".join)), max_size=20))
def test_any_bytes_are_read_without_an_error(parts: list[bytes]) -> None:
    for file in parse_patch(b"diff --git a/x b/x\n" + b"\n".join(parts)):
        assert file.insertions + file.deletions >= 0
