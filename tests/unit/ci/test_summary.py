from __future__ import annotations

import re

from markdown_it import MarkdownIt

from caesar_core.ci.summary import fenced, inline, summary
from tests.unit.ci.sample import nasty_task, task

PARSER = MarkdownIt("commonmark").enable("table")


def tokens(text: str) -> set[tuple[str, str]]:
    """Return kind and content of every token, inline ones included, that a parser finds."""
    found = PARSER.parse(text)
    inner = (child for token in found for child in token.children or ())
    return {(token.type, token.content) for token in (*found, *inner)}


def test_the_page_says_what_came_of_it() -> None:
    """Case I5."""
    checks = [
        {"command": "pytest -q", "passed": False, "exit_code": 1, "output_tail": "1 failed"},
        {"command": "make lint", "passed": True, "exit_code": 0},
    ]
    usage = {"input_tokens": 1200, "output_tokens": 300, "cost_usd": 0.0123}
    page = summary([task(checks=checks, contradicted=True, usage=usage)])
    assert "## ❌ mine: contradicted" in page
    assert "exited with 1" in page
    assert "1 failed" in page
    assert "1500 tokens" in page
    assert "0\\.0123 USD" in page


def test_what_nobody_said_is_unknown_and_never_zero() -> None:
    """Case M4."""
    page = summary([task(usage={"input_tokens": 5, "output_tokens": None})])
    assert "tokens unknown" in page
    assert "cost unknown" in page


def test_no_text_of_an_agent_becomes_markup() -> None:
    found = tokens(summary([nasty_task()]))
    assert not {kind for kind, _ in found} & {"image", "link_open", "code_inline", "em_open"}
    assert {text for kind, text in found if kind == "html_inline"} == {"<sub>", "</sub>"}
    blocks = "".join(text for kind, text in found if kind == "html_block")
    assert set(re.findall(r"</?\w+", blocks)) == {"<details", "<summary", "</summary", "</details"}


def test_a_block_of_code_cannot_be_left() -> None:
    (token,) = PARSER.parse(fenced("a\n````\nb ``` c"))
    assert token.content == "a\n````\nb ``` c\n"


def test_a_cell_stays_a_cell() -> None:
    rows = f"| a | b |\n| --- | --- |\n| {inline('x | y')} | {inline('1' + chr(10) + '2')} |\n"
    cells = [token for token in PARSER.parse(rows) if token.type == "td_open"]
    assert len(cells) == 2


def test_a_page_is_bounded_and_says_what_is_missing() -> None:
    files = [{"path": f"src/{n}.py", "action": "modified"} for n in range(60)]
    page = summary([task(diff={"files": files}, task_id=f"t_{n}") for n in range(300)])
    assert len(page) < 257_000
    assert "and 10 files more" in page
    assert page.endswith("`caesar show` has it.\n")


def test_several_tasks_stand_in_one_table_first() -> None:
    page = summary([task(), task(task_id="t_2", report_status="partial")], ["One note."])
    assert page.startswith("> One note\\.\n")
    assert "| ⚠️ | mine | partial | none | 0 | 2.5s |" in page
