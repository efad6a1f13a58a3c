from __future__ import annotations

import pytest

from caesar_core.errors import OperationError
from caesar_core.repo.hunks import raw_hunks, with_hunks


def test_a_chosen_hunk_is_put_in_and_another_left_out() -> None:
    patch = b"@@ -1 +1 @@\n-a\n+A\n@@ -3,0 +4 @@\n+d\n\\ No newline at end of file\n"
    hunks = raw_hunks(patch)

    assert with_hunks(b"a\nb\nc\n", hunks, {1}) == b"A\nb\nc\n"
    assert with_hunks(b"a\nb\nc\n", hunks, {2}) == b"a\nb\nc\nd"


@pytest.mark.parametrize(
    "patch", [b"@@ -1,2 +1,2 @@\n a\n", b"@@ -1,2 +0,2 @@\n a\n-b\n-c\n-d\n+e\n", b"@@ -1 +1 @@"]
)
def test_a_hunk_that_is_cut_or_miscounted_is_refused(patch: bytes) -> None:
    with pytest.raises(OperationError, match="not as long"):
        raw_hunks(patch)


def test_a_count_that_no_file_has_is_no_head() -> None:
    assert raw_hunks(b"@@ -" + b"9" * 5000 + b" +1 @@\n a\n") == ()
