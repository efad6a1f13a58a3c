"""R3: what a dead process left is told by its name or its lock; what lives is left alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock, SystemClock
from caesar_core.identity import is_signed_by_dead, signature
from caesar_core.repo.scratch import remove_abandoned_scratch, scratch_folder
from caesar_core.store.drafts import draft_of, remove_drafts
from caesar_core.store.layout import Layout
from caesar_core.store.lease import Lease
from caesar_core.store.lock import file_lock
from caesar_core.store.remains import forget_order, locked_ids

SIGN = "from caesar_core.identity import signature; print(signature())"


@pytest.fixture(scope="module")
def of_a_dead_one() -> str:
    """Return what a process that is over put into its names."""
    done = subprocess.run([sys.executable, "-c", SIGN], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_only_a_dead_process_of_this_machine_is_dead(of_a_dead_one: str) -> None:
    assert is_signed_by_dead(f".x.json.{of_a_dead_one}.abc.tmp")
    assert not is_signed_by_dead(f".x.json.{signature()}.abc.tmp")
    assert not is_signed_by_dead(of_a_dead_one[:-8] + "00000000")
    assert not is_signed_by_dead("x.json")


def test_r3_drafts_of_the_dead_go_and_those_of_the_living_stay(
    tmp_path: Path, of_a_dead_one: str
) -> None:
    left = tmp_path / f".x.json.{of_a_dead_one}.{'0' * 32}.tmp"
    left.write_text("half")
    folder = tmp_path / f".y.lock.{of_a_dead_one}.{'0' * 32}.tmp"
    (folder / "inner").mkdir(parents=True)
    mine, foreign = draft_of(tmp_path / "x.json"), tmp_path / ".x.json.tmp"
    for path in (mine, foreign):
        path.write_text("kept")

    remove_drafts([tmp_path, tmp_path / "missing"])

    assert {path.name for path in tmp_path.iterdir()} == {mine.name, foreign.name}


def test_r3_temporary_folders_of_the_dead_go_and_those_of_the_living_stay(
    tmp_path: Path, of_a_dead_one: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / f"caesar-index-{of_a_dead_one}-x" / "deep").mkdir(parents=True)
    (tmp_path / f"other-{of_a_dead_one}").mkdir()
    (tmp_path / f"caesar-link-{of_a_dead_one}").symlink_to(tmp_path)
    with scratch_folder("index") as mine:
        remove_abandoned_scratch()
        kept = {path.name for path in tmp_path.iterdir()}

    assert kept == {
        Path(mine).name,
        f"other-{of_a_dead_one}",
        f"caesar-link-{of_a_dead_one}",
    }


@pytest.fixture
def ordered(tmp_path: Path) -> Layout:
    """Return a project in which somebody died over the order of t_1."""
    layout = Layout(tmp_path)
    for path in (layout.task("t_1").task, layout.plan("t_1"), layout.record_lock("t_1")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    return layout


def test_r3_an_order_without_a_record_goes(ordered: Layout) -> None:
    assert locked_ids(ordered) == {"t_1"}

    forget_order(ordered, "t_1")

    assert locked_ids(ordered) == set()
    assert not ordered.task("t_1").dir.exists()
    assert not ordered.plan("t_1").exists()


def test_r3_an_order_stays_while_somebody_writes_it(ordered: Layout) -> None:
    with file_lock(ordered.record_lock("t_1"), clock=SystemClock()):
        forget_order(ordered, "t_1")
    assert ordered.task("t_1").task.exists()


@pytest.mark.parametrize("what", ["record", "work"])
def test_r3_a_task_is_no_order(ordered: Layout, what: str) -> None:
    path = ordered.record("t_1") if what == "record" else ordered.task("t_1").raw_log
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")

    forget_order(ordered, "t_1")

    assert ordered.task("t_1").task.exists()
    assert path.exists()


def test_r3_taking_a_lease_over_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    path.mkdir()
    marker = {"pid": os.getpid(), "token": "t", "started": 1}
    (path / "marker.json").write_text(json.dumps(marker))

    Lease.take_over(path, "task t_1", FakeClock()).release()

    assert list(tmp_path.iterdir()) == []
