"""Applying and undoing, as the tests of both say it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from caesar_core.repo.apply import Applied, apply_outcome
from caesar_core.repo.undo import Undone, undo
from tests.fakes.sandbox import Left, Sandbox, write

Work = Callable[[Path], object]


def apply(sandbox: Sandbox, left: Left, *files: str, below: str = "") -> Applied:
    return apply_outcome(
        sandbox.repository(below),
        left.base,
        left.tree,
        files or None,
        journal_dir=sandbox.root.parent / "journal" / left.tree,
        filters=left.worktree.filters,
    )


def take_back(sandbox: Sandbox, left: Left) -> Undone:
    return undo(sandbox.root.parent / "journal" / left.tree)


def edit(old: str, new: str, name: str = "f.txt") -> Work:
    def work(root: Path) -> None:
        place = root / name
        place.write_bytes(place.read_bytes().replace(old.encode(), new.encode()))

    return work


def refused(sandbox: Sandbox, left: Left, path: str, reason: str) -> None:
    """Assert that applying is refused for this reason with nothing written."""
    files, index = sandbox.files(), sandbox.index()
    done = apply(sandbox, left)
    assert not done.applied
    assert done.journal is None
    assert [(c.path, reason in c.reason) for c in done.conflicts] == [(path, True)], done.conflicts
    assert sandbox.files() == files
    assert sandbox.index() == index


def everything(root: Path) -> None:
    (root / "logo.png").write_bytes(b"\0\xff" * 400)
    (root / "new.bin").write_bytes(bytes(range(256)))
    (root / "latin.txt").write_bytes(b"caf\xe9\r\nno end")
    (root / "ütf 8 ☃.txt").write_text("x\n")
    (root / "sub" / "x.py").chmod(0o755)
    (root / "g.txt").unlink()
    (root / "link").symlink_to("sub/x.py")
    write(root, {"deep/er/file": "d\n", "sub/y.py": "y\n"})
