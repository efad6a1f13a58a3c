from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from watchdog.events import FileModifiedEvent

from caesar_core.board.delta import BoardDelta
from caesar_core.protocol.event import Message
from caesar_core.store.layout import Layout
from caesar_core.watch import follower
from caesar_core.watch.dirty import Marks
from caesar_core.watch.evidence import CpuProbe
from caesar_core.watch.follower import Follower
from caesar_core.watch.mark import Mark
from tests.integration.watch.project import Project


class Reader:
    """Collects deltas until something has been seen."""

    def __init__(self, deltas: AsyncIterator[BoardDelta]) -> None:
        self._deltas = deltas
        self.seen: list[BoardDelta] = []

    async def until(self, done: Callable[[BoardDelta], bool]) -> BoardDelta:
        async for delta in self._deltas:
            self.seen.append(delta)
            if done(delta):
                return delta
        raise AssertionError("the follower ended")

    @property
    def texts(self) -> list[str]:
        bodies = [e.body for d in self.seen for part in d.appended for e in part.events]
        return [body.text for body in bodies if isinstance(body, Message)]


@asynccontextmanager
async def following(project: Project, **options: Any) -> AsyncIterator[Reader]:
    found = Follower(project.layout, frame=0.01, **options)
    try:
        yield Reader(aiter(found))
    finally:
        await found.aclose()


async def test_what_is_written_arrives_by_notice(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "RECHECK_LIVE", 600.0)
    project.add("t_1")
    async with following(project) as reader:
        await reader.until(lambda delta: delta.health.mode == "live")
        project.say("t_1", "hello")
        project.add("t_2")
        project.say("t_2", "world")
        await reader.until(lambda _: sorted(reader.texts) == ["hello", "world"])


async def test_without_notices_it_polls_and_says_so(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    monkeypatch.setattr("watchdog.observers.api.BaseObserver.start", refuse)
    monkeypatch.setattr(follower, "RECHECK_POLLING", 0.02)
    project.add("t_1")
    async with following(project) as reader:
        health = (await reader.until(lambda delta: "limit" in delta.health.note)).health
        assert health.mode == "polling"
        project.say("t_1", "hello")
        await reader.until(lambda _: reader.texts == ["hello"])


async def test_a_project_that_begins_later_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "RECHECK_POLLING", 0.02)
    project = Project(tmp_path)
    async with following(project) as reader:
        assert (await reader.until(lambda _: True)).changed == ()
        project.add("t_1")
        project.say("t_1", "first")
        await reader.until(lambda delta: reader.texts == ["first"] and delta.health.mode == "live")


async def test_nothing_is_lost_and_nothing_comes_twice_under_load(project: Project) -> None:
    for number in range(5):
        project.add(f"t_{number}")
    async with following(project) as reader:
        await reader.until(lambda delta: delta.health.mode == "live")
        for number in range(200):
            project.say(f"t_{number % 5}", f"m{number}")
        await reader.until(lambda _: len(reader.texts) >= 200)
    assert sorted(reader.texts) == sorted(f"m{number}" for number in range(200))


async def test_replay_ends_with_a_finished_task(project: Project) -> None:
    project.add("t_1", "succeeded")
    project.say("t_1", "a", "b")
    async with following(project, ids=["t_1"], replay=True) as reader:
        await reader.until(lambda delta: delta.complete)
        assert reader.texts == ["a", "b"]


def test_a_notice_that_cannot_be_read_does_not_end_the_observer(tmp_path: Path) -> None:
    woken: list[int] = []
    marks = Marks(Layout(tmp_path), lambda: woken.append(1))
    marks.on_any_event(FileModifiedEvent(src_path=5))  # type: ignore[arg-type]
    assert marks.failures == 1
    marks.on_any_event(FileModifiedEvent(str(Layout(tmp_path).task("t_1").events)))
    assert (marks.take(), woken) == ({("stream", "t_1")}, [1])


@pytest.mark.parametrize(
    ("path", "mark"),
    [
        ("state/tasks/t_1.json", ("record", "t_1")),
        ("state/tasks/.t_1.json.abc.tmp", None),
        ("tasks/t_1/events.jsonl", ("stream", "t_1")),
        ("tasks/t_1/questions/q.json", ("mail", "t_1")),
        ("tasks/t_1/answers", ("mail", "t_1")),
        ("tasks/t_1/raw.log", None),
        ("config.toml", None),
    ],
)
def test_a_path_says_what_may_have_changed(tmp_path: Path, path: str, mark: Mark | None) -> None:
    layout = Layout(tmp_path)
    assert Marks(layout, lambda: None).mark_of(str(layout.caesar / path)) == mark


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_s4_a_busy_process_tree_is_told_from_an_idle_one() -> None:
    spin = "import os,sys\nif os.fork() == 0:\n while 1: pass\nsys.stdin.read()"
    with (
        subprocess.Popen([sys.executable, "-c", spin], stdin=subprocess.PIPE) as busy,
        subprocess.Popen(["sleep", "60"]) as idle,
    ):
        try:
            probe = CpuProbe()
            assert probe.look([busy.pid, idle.pid], time.monotonic()) == {
                busy.pid: None,
                idle.pid: None,
            }
            _wait_for_cpu(busy.pid)
            found = probe.look([busy.pid, idle.pid], time.monotonic())
            assert found == {busy.pid: True, idle.pid: False}
        finally:
            _kill_children(busy.pid)
            busy.kill()
            idle.kill()


def _wait_for_cpu(pid: int) -> None:
    until = time.monotonic() + 10
    while _spent(pid) < 0.2 and time.monotonic() < until:
        os.sched_yield()


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


def _spent(pid: int) -> float:
    ticks = 0
    for child in _children(pid):
        ticks += int(Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[11])
    return ticks / os.sysconf("SC_CLK_TCK")


def _kill_children(pid: int) -> None:
    for child in _children(pid):
        os.kill(child, 9)
