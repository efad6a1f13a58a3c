"""Declared against observed."""

from __future__ import annotations

import pytest

from caesar_core.engine.observed import Observed
from caesar_core.engine.reconcile import normal_path, reconcile
from caesar_core.protocol.report import Change, Report


def report(*changes: Change) -> Report:
    return Report(status="success", summary="s", changes=changes)


@pytest.mark.parametrize(
    ("declared", "wanted"),
    [
        ("a.py", "a.py"),
        ("./a.py", "a.py"),
        ("src//a.py", "src/a.py"),
        ("src/../a.py", "a.py"),
        ("/srv/tree/src/a.py", "src/a.py"),
        ("/elsewhere/a.py", "/elsewhere/a.py"),
        ("../b.py", "../b.py"),
        ("src\\a.py", "src/a.py"),
        (" a.py ", "a.py"),
    ],
)
def test_declared_paths_are_normalised(declared: str, wanted: str) -> None:
    assert normal_path(declared, "/srv/tree") == wanted


def test_words_of_the_declaration_survive() -> None:
    found, verified = reconcile(
        report(Change(path="./a.py", summary="why")),
        [Observed("a.py", "modified"), Observed("b.py", "renamed", "old.py")],
        "/w",
        read_only=False,
        declares=False,
    )

    assert verified == "git"
    assert [(c.path, c.summary) for c in found.changes] == [
        ("a.py", "why"),
        ("b.py", "renamed from old.py"),
    ]
    assert found.findings == ()


def test_without_git_the_declaration_stands() -> None:
    declared = report(Change(path="a.py"))

    assert reconcile(declared, None, "/w", read_only=True, declares=True) == (
        declared,
        "declaration",
    )


def test_old_name_of_a_renamed_file_counts_as_declared() -> None:
    found, _ = reconcile(
        report(Change(path="old.py", action="deleted")),
        [Observed("new.py", "renamed", "old.py")],
        "/w",
        read_only=False,
        declares=True,
    )

    assert found.findings == ()


def test_many_undeclared_files_become_a_bounded_list() -> None:
    observed = [Observed(f"{n}.py", "created") for n in range(500)]

    found, _ = reconcile(report(), observed, "/w", read_only=False, declares=True)

    assert len(found.findings) == 21
    assert "480 more" in found.findings[-1].detail
