from __future__ import annotations

import ast
from pathlib import Path

import pytest
from rich.cells import cell_len

import caesar_tui
from caesar_core.board.delta import BoardDelta
from caesar_core.board.glyphs import ASCII, UNICODE
from caesar_core.board.order import Filter, arrange
from caesar_core.repo.patch import parse_patch
from caesar_tui.app import locale_glyphs
from caesar_tui.model import BoardModel
from caesar_tui.render.cells import age_text, size_text, span_text
from caesar_tui.render.columns import columns
from caesar_tui.render.diff_rows import FOLDED_LINES, DiffRows, changed_spans
from caesar_tui.render.task_row import Known, task_cells
from caesar_tui.widgets.safe import fit, plain
from tests.tui.sample import PATCH
from tests.unit.board.build import ended, now, running

WIDE = [
    "plain",
    "日本語のファイル",
    "👩\u200d👩\u200d👧 family",
    "❤\ufe0f heart",
    "e\u0301",
    "a\tb",
    "\x1b[31m",
    "🇩🇪🇯🇵",
]


@pytest.mark.parametrize("text", WIDE)
@pytest.mark.parametrize("width", [0, 1, 2, 5, 9, 30])
def test_t3_a_cell_has_exactly_its_width(text: str, width: int) -> None:
    assert cell_len(fit(text, width)) == width


def test_t3_what_terminals_disagree_about_is_left_out() -> None:
    assert plain("❤\ufe0f👩\u200d👧") == "❤👩👧"


def test_f9_a_huge_text_is_cut_before_it_is_looked_at() -> None:
    assert fit("x" * 10_000_000, 10) == "xxxxxxxxx…"


@pytest.mark.parametrize(
    ("milliseconds", "age", "span"),
    [
        (None, "", ""),
        (900, "0s", "<1m"),
        (59_999, "59s", "<1m"),
        (252_000, "4m12", "4m"),
        (7_500_000, "2h05", "2h05"),
        (300_000_000, "3d", "3d"),
    ],
)
def test_ages_have_at_most_five_cells(milliseconds: int | None, age: str, span: str) -> None:
    assert (age_text(milliseconds), span_text(milliseconds)) == (age, span)


def test_a_size_says_nothing_when_nothing_changed() -> None:
    assert [size_text(42, 7), size_text(0, 0), size_text(None, None)] == ["+42 −7", "", ""]


@pytest.mark.parametrize("width", range(20, 200, 7))
def test_a_row_fills_its_width_at_every_width(width: int) -> None:
    (row,) = arrange([running(objective="x" * 300, agent="日本語" * 9)], now(50))
    known = Known({}, {row.view.id: "conflicts: 日本語"}, now(50))
    cells = task_cells(row, known, columns([row], width, UNICODE), UNICODE)
    assert sum(cell.width for cell in cells) + len(cells) - 1 == width


def test_marks_within_a_line_show_what_differs() -> None:
    assert changed_spans('print("done")', 'print("all done")') == ((7, 7), (7, 11))
    assert changed_spans("return a", "if b:") is None
    assert changed_spans("", "") == ((0, 0), (0, 0))


def test_a_patch_becomes_rows_of_either_kind() -> None:
    files = parse_patch(PATCH)
    split, single = DiffRows(files, split=True), DiffRows(files, split=False)
    assert [row.text for row in split if row.kind == "file"] == [
        "modified  src/parser.py  +6 −3",
        "created  tests/test_parser.py  +2 −0",
        "modified  logo.png",
    ]
    assert {row.kind for row in single} == {"file", "hunk", "single", "note"}
    assert len(split) < len(single)
    assert split.place_of("tests/test_parser.py") in split.places("file")
    assert [row.kind for row in split[:2]] == ["file", "hunk"]
    assert split[-1].path == "logo.png"


def test_d16_only_the_rows_that_are_looked_at_are_made() -> None:
    head = b"diff --git a/p.lock b/p.lock\n--- a/p.lock\n+++ b/p.lock\n"
    body = b"-old\n" * 20_000 + b"+new\n" * 30_000
    files = parse_patch(head + b"@@ -1,20000 +1,30000 @@\n" + body)
    rows = DiffRows(files, split=True, turned=("p.lock",))
    assert len(rows) == 30_002
    assert len(rows._parts) == 3
    pair = rows[20_001].row
    assert pair is not None
    assert (pair.kind, pair.left_no, pair.right_no) == ("changed", 20_000, 20_000)
    alone = rows[20_002].row
    assert alone is not None
    assert (alone.kind, alone.left_no, alone.right_no) == ("added", None, 20_001)


def test_d16_a_lock_file_is_folded() -> None:
    count = FOLDED_LINES + 1
    head = b"diff --git a/p.lock b/p.lock\nnew file mode 100644\n--- /dev/null\n+++ b/p.lock\n"
    patch = head + b"@@ -0,0 +1,%d @@\n" % count + b"+x\n" * count
    rows = DiffRows(parse_patch(patch), split=True)
    assert [row.kind for row in rows] == ["file", "note"]


@pytest.mark.parametrize(
    ("environ", "ascii_only"),
    [
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, True),
        ({"LANG": "C"}, True),
        ({"LC_CTYPE": "en_US.utf8@euro"}, False),
        ({}, True),
    ],
)
def test_t4_the_locale_decides_the_marks(environ: dict[str, str], ascii_only: bool) -> None:
    assert locale_glyphs(environ) is (ASCII if ascii_only else UNICODE)


def test_f5_ten_thousand_ended_tasks_are_sorted_once() -> None:
    model = BoardModel()
    old = tuple(ended(id=f"t_{i:05}") for i in range(10_000))
    model.take(BoardDelta(changed=(*old, running(id="t_live"))))
    rows, left_out = model.rows(now(70), order="newest", only=Filter())
    assert (len(rows), left_out) == (51, 9_950)
    kept = model._newest_ended()
    model.take(BoardDelta(changed=(running(id="t_live", objective="changed"),)))
    model.rows(now(70), order="newest", only=Filter())
    assert model._newest_ended() is kept


_MARKUP = {"Static", "Label", "Button", "OptionList", "Checkbox", "Collapsible", "TabPane", "Tree"}


def test_t1_no_widget_is_built_from_a_bare_string() -> None:
    found = []
    for path in Path(caesar_tui.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                keywords = {keyword.arg for keyword in node.keywords}
                bare = any(isinstance(arg, ast.JoinedStr | ast.Constant) for arg in node.args)
                if name in _MARKUP and bare and "markup" not in keywords:
                    found.append(f"{path.name}:{node.lineno}")
                if name == "notify" and "markup" not in keywords:
                    found.append(f"{path.name}:{node.lineno}")
    assert found == []
