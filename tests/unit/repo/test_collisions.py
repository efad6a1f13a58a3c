"""Where two sides changed the same lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caesar_core.repo.collisions import MOST_LINES, Collision, collisions_in

OURS, THEIRS = b"<<<<<<< " + b"a" * 40, b">>>>>>> " + b"b" * 40


def marked(*lines: bytes) -> list[Collision]:
    return list(collisions_in(b"\n".join(lines) + b"\n"))


def test_each_place_names_its_line_in_the_users_file_and_both_sides() -> None:
    found = marked(
        b"one", OURS, b"two", b"more", b"=======", b"TWO", THEIRS, b"three",
        OURS, b"=======", b"added", THEIRS,
    )  # fmt: skip
    assert found == [
        Collision(2, ("two", "more"), ("TWO",)),
        Collision(5, (), ("added",)),
    ]


def test_line_ends_of_windows_are_no_part_of_a_line() -> None:
    assert marked(OURS + b"\r", b"a\r", b"=======\r", b"b\r", THEIRS + b"\r") == [
        Collision(1, ("a",), ("b",))
    ]


def test_what_only_looks_like_a_marker_is_text() -> None:
    assert marked(b"<<<<<<< HEAD", b"a", b"=======", b"b", b">>>>>>> mine") == []
    assert marked(OURS, b"<<<<<<< HEAD", b"=======", b"b", b">>>>>>> x", THEIRS) == [
        Collision(1, ("<<<<<<< HEAD",), ("b", ">>>>>>> x"))
    ]


def test_a_place_without_an_end_is_none() -> None:
    assert marked(OURS, b"a", b"=======", b"b") == []


def test_long_sides_and_lines_are_cut() -> None:
    (found,) = marked(OURS, *[b"\xff" + b"x" * 5_000] * 200, b"=======", THEIRS)
    assert len(found.yours) == MOST_LINES
    assert len(found.yours[0]) == 500


@given(st.lists(st.sampled_from([OURS, b"=======", THEIRS, b"a", b"", b"\xff"]), max_size=30))
def test_any_order_of_markers_is_read(lines: list[bytes]) -> None:
    for place in marked(*lines):
        assert 1 <= place.line <= len(lines) + 1
