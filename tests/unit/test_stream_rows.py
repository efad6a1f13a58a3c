from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from caesar_tui.render.stream_rows import Unfolded, wrapped


@given(st.dictionaries(st.integers(0, 40), st.integers(0, 5), max_size=8), st.integers(1, 41))
def test_lines_and_rows_lead_to_each_other(extra: dict[int, int], rows: int) -> None:
    known = {row: lines for row, lines in extra.items() if row < rows}
    folds = Unfolded()
    folds.set(known.items())
    expected = [(row, part) for row in range(rows) for part in range(known.get(row, 0) + 1)]
    assert [folds.place(line) for line in range(rows + folds.lines)] == expected
    assert [folds.place(folds.line_of(row)) for row in range(rows)] == [(n, 0) for n in range(rows)]


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "Zs"]), max_size=80))
def test_wrapped_text_fits_and_loses_nothing_but_blanks(text: str) -> None:
    lines = wrapped(text, 10)
    assert all(cell_len(line) <= 10 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
