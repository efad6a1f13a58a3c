from __future__ import annotations

import pytest

from caesar_core.repo.flags import is_test, leaves_tree, name_flags
from caesar_core.repo.obstacles import ancestors, name_obstacle


@pytest.mark.parametrize(
    ("path", "flags"),
    [
        ("uv.lock", ["lock_file"]),
        ("web/Package-Lock.json", ["lock_file"]),
        ("dist/app.min.js", ["generated"]),
        ("proto/a_pb2.py", ["generated"]),
        (".github/workflows/ci.yml", ["ci_config"]),
        ("docs/.github/workflows/ci.yml", []),
        ("Jenkinsfile", ["ci_config"]),
        ("src/lock.py", []),
        ("distance/a.js", []),
    ],
)
def test_names_earn_flags(path: str, flags: list[str]) -> None:
    assert name_flags(path) == flags


@pytest.mark.parametrize(
    "path",
    ["tests/a.py", "a/test_b.py", "b_test.go", "c.spec.ts", "src/__tests__/d.js", "ETests.cs"],
)
def test_test_files_are_known(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", ["src/latest.py", "contest/a.py", "attest.go", "testing.py"])
def test_other_files_are_no_tests(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize(
    ("path", "target", "leaves"),
    [
        ("a", "/etc/passwd", True),
        ("a", "../b", True),
        ("a", "..", True),
        ("d/a", "../b", False),
        ("d/a", "../../b", True),
        ("d/a", "x/../../../b", True),
        ("a", "..b", False),
    ],
)
def test_links_that_leave_the_tree(path: str, target: str, *, leaves: bool) -> None:
    assert leaves_tree(path, target) is leaves


@pytest.mark.parametrize(
    "path",
    [".git/config", "a/.GIT/x", "a/.g\u200cit/x", "GIT~1", ".git./x", "../x", "a//b", "./a", "/a"],
)
def test_names_that_must_never_be_written(path: str) -> None:
    assert name_obstacle(path.encode())


@pytest.mark.parametrize("path", [".gitignore", "a/.github/x", "git", "a..b", "...", "x.git"])
def test_names_that_may_be_written(path: str) -> None:
    assert name_obstacle(path.encode()) == ""


def test_ancestors_are_the_folders_above() -> None:
    assert ancestors(b"a/b/c") == [b"a", b"a/b"]
