"""Columns that stay aligned."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caesar_core.cli.tables import columns
from caesar_core.text import cell_width, fit, visible

TEXTS = st.text(max_size=40).map(visible)


def test_widest_column_shrinks_first() -> None:
    lines = columns(("A", "B"), [("short", "x" * 100)], 40)

    assert lines[1].startswith("short  xxx")
    assert lines[1].endswith("…")
    assert cell_width(lines[1]) == 40


def test_wide_characters_keep_the_columns() -> None:
    lines = columns(("A", "B"), [("日本語", "1"), ("abc", "2")], 80)

    assert [line.index("1") if "1" in line else line.index("2") for line in lines[1:]] == [5, 8]
    assert {cell_width(line) for line in lines[1:]} == {9}


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=8), st.integers(30, 120))
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str, str, str]], width: int) -> None:
    assert all(cell_width(line) <= width for line in columns(("A", "B", "C"), rows, width))


@given(TEXTS, st.integers(0, 50))
def test_fit_is_exact(text: str, width: int) -> None:
    assert cell_width(fit(text, width)) == width
