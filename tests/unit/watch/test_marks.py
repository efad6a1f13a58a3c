"""What a change notice of the system means."""

from __future__ import annotations

from pathlib import Path

import pytest
from watchdog.events import FileModifiedEvent, FileMovedEvent

from caesar_core.store.layout import Layout
from caesar_core.watch.dirty import Marks
from caesar_core.watch.mark import Mark
from caesar_core.watch.stamp import stamp_of


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


@pytest.mark.parametrize(
    ("where", "mark"),
    [
        ("records/t_1.json", ("record", "t_1")),
        ("records/.t_1.json", None),
        ("records/t_1.json.tmp", None),
        ("tasks/t_1/events.jsonl", ("stream", "t_1")),
        ("tasks/t_1/questions/q1.json", ("mail", "t_1")),
        ("tasks/t_1/answers/q1.json", ("mail", "t_1")),
        ("tasks/t_1/raw.log", None),
        ("elsewhere", None),
    ],
)
def test_only_what_a_face_shows_is_marked(layout: Layout, where: str, mark: Mark | None) -> None:
    room, _, rest = where.partition("/")
    base = {"records": layout.records, "tasks": layout.tasks}.get(room, layout.root)
    assert Marks(layout, lambda: None).mark_of(str(base / rest)) == mark


def test_many_notices_of_one_thing_wake_once_until_they_are_taken(layout: Layout) -> None:
    woken: list[int] = []
    marks = Marks(layout, lambda: woken.append(1))
    path = str(layout.task("t_1").events)
    for _ in range(5):
        marks.on_any_event(FileModifiedEvent(path))
    assert (len(woken), marks.take(), marks.take()) == (1, {("stream", "t_1")}, set())
    marks.on_any_event(FileModifiedEvent(path))
    assert len(woken) == 2


def test_a_move_marks_both_ends(layout: Layout) -> None:
    marks = Marks(layout, lambda: None)
    one, two = layout.records / "t_1.json", layout.records / "t_2.json"
    marks.on_any_event(FileMovedEvent(str(one), str(two)))
    assert marks.take() == {("record", "t_1"), ("record", "t_2")}


def test_a_notice_that_cannot_be_read_does_not_end_the_others(layout: Layout) -> None:
    def broken() -> None:
        raise RuntimeError("on purpose")

    marks = Marks(layout, broken)
    marks.on_any_event(FileModifiedEvent(str(layout.task("t_1").events)))
    assert marks.failures == 1
    assert marks.take() == {("stream", "t_1")}


def test_a_stamp_tells_another_file_of_the_same_size(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert stamp_of(path) is None
    path.write_text("one")
    before = stamp_of(path)
    other = tmp_path / "b"
    other.write_text("two")
    other.replace(path)
    assert stamp_of(path) != before
