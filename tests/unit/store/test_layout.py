"""Where a project is."""

from __future__ import annotations

from pathlib import Path

from caesar_core.store.layout import Layout, find_root


def test_a_folder_above_that_everybody_may_write_to_is_nobodys_project(tmp_path: Path) -> None:
    """What a stranger leaves in /tmp must not govern what is below."""
    Layout(tmp_path).caesar.mkdir()
    inside = tmp_path / "mine"
    inside.mkdir()
    assert find_root(inside) == tmp_path

    tmp_path.chmod(0o1777)

    assert find_root(inside) == inside
    assert find_root(tmp_path) == tmp_path
