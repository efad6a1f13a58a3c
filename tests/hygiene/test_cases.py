"""docs/cases.md names a test for each situation; it cannot rot while this holds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from tests.hygiene.source import ROOT, sources

PAGE = ROOT / "docs" / "cases.md"
ROW = re.compile(r"^\| ([A-Z]?\d+) \| (.+) \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[^`]+)`")
NUMBER = re.compile(r"[a-z]?\d+")
IN_WORDS = re.compile(r"\b[Cc]ases? ((?:\d+(?:, | and )?)+)|\b([A-Z]\d+)\b")


@dataclass(frozen=True)
class Row:
    """A situation of the page and the tests that prove it."""

    number: str
    proof: str

    @property
    def tests(self) -> list[str]:
        return TEST.findall(self.proof)


def rows() -> list[Row]:
    return [Row(number, proof) for number, _, proof in ROW.findall(PAGE.read_text("utf-8"))]


@cache
def claims() -> dict[str, frozenset[str]]:
    """Return the numbers that each test carries in its name or its docstring."""
    return {
        f"{source.name}::{node.name}": frozenset(_numbers(node))
        for source in sources("tests")
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _numbers(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    words = [word for word in node.name.split("_")[1:] if word not in {"case", "cases"}]
    for word in words:
        if not NUMBER.fullmatch(word):
            break
        yield word.upper()
    for numbers, letter in IN_WORDS.findall(ast.get_docstring(node) or ""):
        yield from re.findall(r"\d+", numbers)
        yield letter


def test_each_situation_stands_there_once_with_a_test_or_a_later() -> None:
    found = rows()
    numbers = [row.number for row in found]
    assert len(numbers) > 200
    assert sorted(set(numbers)) == sorted(numbers)
    assert [row.number for row in found if not row.tests and "later: " not in row.proof] == []


@pytest.mark.parametrize("row", [row for row in rows() if row.tests], ids=lambda row: row.number)
def test_each_named_test_exists_and_carries_the_number(row: Row) -> None:
    known = claims()
    assert [test for test in row.tests if test not in known] == []
    assert [test for test in row.tests if row.number not in known[test]] == []


def test_what_is_no_proof_is_not_taken_for_one() -> None:
    assert (
        "20"
        not in claims()[
            "tests/integration/engine/test_recovery.py::test_d15_a_patch_of_20_megabytes_streams"
        ]
    )
