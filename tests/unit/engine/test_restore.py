from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from caesar_core.engine.restore import clear_the_way
from caesar_core.engine.task_run import TaskRun
from caesar_core.store.layout import Layout


@dataclass
class _Found:
    """A run as far as clearing the way looks at it, of a project at `root`."""

    layout: object
    titles: list[str]

    def find(self, severity: str, title: str, detail: str = "", file: str | None = None) -> None:
        del severity, detail, file
        self.titles.append(title)


def _cleared(root: Path, place: Path) -> list[str]:
    """Return what was found; the store lies below `place`."""
    folders = Layout(place)
    folders.records.mkdir(parents=True, exist_ok=True)
    names = ("caesar", "tasks", "state", "records", "plans")
    layout = SimpleNamespace(root=root, **{name: getattr(folders, name) for name in names})
    run = _Found(layout, [])
    clear_the_way(cast("TaskRun", run))
    return run.titles


@pytest.mark.parametrize("root", ["/", "."])
def test_x3_a_store_in_its_place_stays_wherever_the_project_is(tmp_path: Path, root: str) -> None:
    assert _cleared(tmp_path / root, tmp_path) == []
    assert Layout(tmp_path).records.is_dir()


def test_x3_a_folder_that_leads_out_of_the_project_goes(tmp_path: Path) -> None:
    outside, project = tmp_path / "project.old", tmp_path / "project"
    outside.mkdir()
    project.joinpath(".caesar").mkdir(parents=True)
    project.joinpath(".caesar", "tasks").symlink_to(outside)

    assert len(_cleared(project, project)) == 1

    assert not Layout(project).tasks.exists()
    assert outside.is_dir()
