from __future__ import annotations

from collections.abc import Iterator

import pytest

from caesar_core.repo.patch import Hunk, Row, iter_files, iter_rows, parse_patch
from caesar_core.repo.patch_header import unquote

PATCH = b"""\
diff --git a/a file.txt b/a file.txt
index 1111111..2222222 100644
--- a/a file.txt\t
+++ b/a file.txt\t
@@ -1,4 +1,4 @@ def heading():
 one
-two
+TWO
 three
-four
\\ No newline at end of file
+four
@@ -10 +10,2 @@
 ten
+eleven
diff --git "a/h\\303\\251.txt" "b/h\\303\\251.txt"
new file mode 100755
index 0000000..3333333
--- /dev/null
+++ "b/h\\303\\251.txt"
@@ -0,0 +1 @@
+new
diff --git a/gone b/gone
deleted file mode 100644
index 3333333..0000000
--- a/gone
+++ /dev/null
@@ -1,2 +0,0 @@
--- a line that looks like a header
-diff --git a/x b/x
diff --git a/old b/new name
similarity index 90%
rename from old
rename to new name
index 1..2 100644
--- a/old
+++ b/new name\t
@@ -1 +1 @@
-a
+b
diff --git a/logo.png b/logo.png
index 1..2 100644
GIT binary patch
literal 3
KcmZQzVB%nCQ2;gK
@@ -1 +1 @@ not a hunk

literal 0
HcmV?d00001

diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
"""


def test_files_of_every_kind_are_recognised() -> None:
    files = parse_patch(PATCH)
    assert [(f.action, f.old_path, f.new_path, f.binary) for f in files] == [
        ("modified", "a file.txt", "a file.txt", False),
        ("created", None, "hé.txt", False),
        ("deleted", "gone", None, False),
        ("renamed", "old", "new name", False),
        ("modified", "logo.png", "logo.png", True),
        ("modified", "run.sh", "run.sh", False),
    ]
    assert [(f.old_mode, f.new_mode) for f in files] == [
        ("100644", "100644"),
        (None, "100755"),
        ("100644", None),
        ("100644", "100644"),
        ("100644", "100644"),
        ("100644", "100755"),
    ]
    assert [(f.insertions, f.deletions) for f in files] == [(3, 2), (1, 0), (0, 2), (1, 1)] + [
        (0, 0)
    ] * 2


def test_lines_carry_their_numbers_and_the_missing_line_end() -> None:
    first, second = parse_patch(PATCH)[0].hunks
    assert first.heading == "def heading():"
    assert [
        (line.kind, line.text, line.old_no, line.new_no, line.ends) for line in first.lines
    ] == [
        ("context", "one", 1, 1, True),
        ("removed", "two", 2, None, True),
        ("added", "TWO", None, 2, True),
        ("context", "three", 3, 3, True),
        ("removed", "four", 4, None, False),
        ("added", "four", None, 4, True),
    ]
    assert (second.old_start, second.old_count, second.new_start, second.new_count) == (
        10,
        1,
        10,
        2,
    )


def test_content_that_looks_like_a_header_is_content() -> None:
    gone = parse_patch(PATCH)[2]
    assert [line.text for line in gone.hunks[0].lines] == [
        "-- a line that looks like a header",
        "diff --git a/x b/x",
    ]


def test_rows_pair_removed_with_added_lines() -> None:
    text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n-a\n-b\n+A\n c\n+d\n+e\n"
    hunk = parse_patch(text)[0].hunks[0]
    assert [(r.kind, r.left_no, r.right_no) for r in iter_rows(hunk)] == [
        ("changed", 1, 1),
        ("removed", 2, None),
        ("context", 3, 2),
        ("added", None, 3),
        ("added", None, 4),
    ]


def test_an_added_run_followed_by_a_removed_one_is_not_paired() -> None:
    text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n+A\n-a\n"
    rows: list[Row] = list(iter_rows(parse_patch(text)[0].hunks[0]))
    assert [row.kind for row in rows] == ["added", "removed"]


def test_the_first_file_is_given_before_the_rest_is_read() -> None:
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        while True:
            for line in PATCH.splitlines(keepends=True):
                read += 1
                yield line

    assert next(iter_files(endless())).path == "a file.txt"
    assert read < 20


@pytest.mark.parametrize(
    ("quoted", "name"),
    [
        (b"plain", b"plain"),
        (b'"tab\\there"', b"tab\there"),
        (b'"\\303\\244\\"\\\\"', 'ä"\\'.encode()),
        (b'"\\377"', b"\xff"),
    ],
)
def test_names_are_unquoted(quoted: bytes, name: bytes) -> None:
    assert unquote(quoted) == name


@pytest.mark.parametrize("cut", range(0, len(PATCH), 7))
def test_a_patch_cut_anywhere_never_raises(cut: int) -> None:
    for file in parse_patch(PATCH[:cut]):
        assert all(isinstance(hunk, Hunk) for hunk in file.hunks)


def test_carriage_returns_and_foreign_bytes_survive_as_text() -> None:
    text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+caf\xe9\n"
    assert [line.text for line in parse_patch(text)[0].hunks[0].lines] == ["a\r", "caf\ufffd"]
