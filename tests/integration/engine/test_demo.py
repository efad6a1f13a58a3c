"""The demonstration, stopped half-way."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from tests.integration.engine.conftest import Caesar, eventually, processes_of


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_p11_a_demo_that_is_stopped_leaves_neither_tasks_nor_its_repository(
    caesar: Caesar, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    caesar.env |= {"TMPDIR": str(tmp_path), "CAESAR_DEMO_PACE": "1"}
    demo = caesar.start("demo", "--json")
    (store,) = eventually(lambda: _demo_stores(tmp_path), lambda found: len(found) == 1)
    records = eventually(
        lambda: store.scan().records,
        lambda found: len(found) == 2 and all(r.agent_process is not None for r in found),
    )

    demo.send_signal(number)

    assert demo.wait(timeout=30) == code
    assert list(tmp_path.glob("caesar-demo-*")) == []
    assert [processes_of(record.id) for record in records] == [[], []]


def _demo_stores(folder: Path) -> list[RecordStore]:
    return [RecordStore(Layout(path)) for path in folder.glob("caesar-demo-*")]


def test_demo_applies_the_better_result(caesar: Caesar, tmp_path: Path) -> None:
    """O2."""
    ran = caesar("demo", "--json", env={"TMPDIR": str(tmp_path)})

    assert ran.code == 0
    places = {c["task_id"]: (c["rank"], c["report_status"]) for c in ran.json["contestants"]}
    assert places[ran.json["winner"]] == (1, "success")
    assert sorted(places.values()) == [(1, "success"), (2, "partial")]
    assert ran.json["applied"] is True
    assert list(tmp_path.glob("caesar-demo-*")) == []


def test_demo_keeps_its_repository_on_request(caesar: Caesar, tmp_path: Path) -> None:
    ran = caesar("demo", "--plain", "--keep", env={"TMPDIR": str(tmp_path)})

    folder = next(tmp_path.glob("caesar-demo-*"))
    assert str(folder) in ran.out
    assert "untitled" in caesar.git("diff", cwd=folder)
    assert "diff --git" in ran.out
