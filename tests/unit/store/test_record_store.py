from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesar_core.errors import CaesarError, NotFoundError
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import DamagedRecordError, RecordStore, TaskExistsError
from caesar_core.store.records import ProcessRef, Record


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


@pytest.fixture
def store(layout: Layout) -> RecordStore:
    return RecordStore(layout)


def record(task_id: str = "t_1", **values: object) -> Record:
    return Record.from_json({"id": task_id, "agent": "codex", **values})


def test_what_is_created_is_got_back(store: RecordStore) -> None:
    mine = record(objective="say hé\ud800", agent_process={"pid": 7, "started": 1.5}, their=[1])
    store.create(mine)
    assert store.get("t_1") == mine
    assert mine.agent_process == ProcessRef(7, 1.5)
    assert mine.extra == {"their": [1]}


def test_109_a_second_creation_is_refused(store: RecordStore) -> None:
    store.create(record(objective="first"))
    with pytest.raises(TaskExistsError, match="t_1 exists already"):
        store.create(record(objective="second"))
    assert store.scan().records == (record(objective="first"),)


def test_update_changes_only_what_it_is_given(store: RecordStore, layout: Layout) -> None:
    store.create(record(objective="o", theirs=1))
    changed = store.update("t_1", status="running", phase="agent")
    assert (changed.status, changed.phase, changed.objective) == ("running", "agent", "o")
    assert json.loads(layout.record("t_1").read_bytes())["theirs"] == 1


def test_r3_a_final_status_stays(store: RecordStore) -> None:
    store.create(record(status="running", phase="agent"))
    store.update("t_1", status="cancelled", ended_at="2026-01-01T00:00:00.000Z", phase=None)
    late = store.update("t_1", status="failed", ended_at="2027", phase="agent", exit_code=1)
    assert (late.status, late.ended_at, late.phase, late.exit_code) == (
        "cancelled",
        "2026-01-01T00:00:00.000Z",
        None,
        1,
    )


def test_unknown_tasks_and_unsafe_ids(store: RecordStore, layout: Layout) -> None:
    assert store.get("t_none") is None
    with pytest.raises(NotFoundError):
        store.update("t_none", status="failed")
    (layout.root / "outside.json").write_text('{"id": "outside", "agent": "x"}')
    for unsafe in ("../../../outside", "a/b", "a\\b", "", ".", "..", "a\0b"):
        with pytest.raises(CaesarError, match="is not a task id"):
            store.get(unsafe)


def test_111_112_only_records_are_listed(store: RecordStore, layout: Layout) -> None:
    assert store.list_ids() == []
    store.create(record("t_b"))
    store.create(record("t_a"))
    for name in (".t_c.1234.tmp", ".json", "-x.json", "note.txt"):
        (layout.records / name).write_text("{}")
    assert store.list_ids() == ["t_a", "t_b"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"id": "t_bad"}', "agent is missing"),
        (b'{"id": "t_other", "agent": "a"}', "the record of 't_other'"),
        (b'{"id": "t_bad", "agent": "a", "status": "odd"}', "none of"),
        (b'{"id": "t_bad", "agent": "a", "depth": "x"}', "depth"),
    ],
)
def test_112_a_damaged_record_is_reported_and_hides_no_other(
    store: RecordStore, layout: Layout, content: bytes, why: str
) -> None:
    store.create(record("t_good"))
    layout.record("t_bad").write_bytes(content)
    scan = store.scan()
    assert [r.id for r in scan.records] == ["t_good"]
    [(task_id, reason)] = scan.damaged
    assert (task_id, why in reason) == ("t_bad", True)
    with pytest.raises(DamagedRecordError, match="t_bad is damaged"):
        store.get("t_bad")


def test_r2_a_record_torn_at_any_byte_is_damaged_and_no_traceback(
    store: RecordStore, layout: Layout
) -> None:
    store.create(record("t_x", objective="ö", usage={"input_tokens": 1}, warnings=["w"]))
    whole = layout.record("t_x").read_bytes().rstrip()
    for length in range(len(whole)):
        layout.record("t_x").write_bytes(whole[:length])
        assert [task_id for task_id, _ in store.scan().damaged] == ["t_x"], length


def test_a_foreign_record_has_its_base_in_the_order(store: RecordStore, layout: Layout) -> None:
    foreign = record("t_f")
    assert store.base_ref(foreign) is None
    order = layout.task("t_f").task
    order.parent.mkdir(parents=True)
    order.write_text('{"base_ref": "abc"}')
    assert store.base_ref(foreign) == "abc"
    assert store.base_ref(record("t_f", base_ref="own")) == "own"
