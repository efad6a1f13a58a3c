"""A provider that refuses: how long nothing is sent to it, and how waiting tasks go on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from caesar_core.board.views import Trouble
from caesar_core.clock import FakeClock, iso, parse_iso
from caesar_core.engine.pauses import ProviderWatch, Refusal, next_pause, sentence, start_after
from caesar_core.engine.plan import Plan
from caesar_core.engine.prepare import CancelledError
from caesar_core.engine.task_run import TaskRun
from caesar_core.engine.turn import wait_for_turn
from caesar_core.protocol.event import Error, Progress
from caesar_core.protocol.wire import decode_event
from caesar_core.store.layout import Layout
from caesar_core.store.pauses import Pause, load_pause, pauses, save_pause
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from caesar_core.store.slots import Slots

NOW = FakeClock().now()
HOUR = timedelta(hours=1)


def at(moment: datetime) -> str:
    return iso(moment)


def refused(retry_at: str | None = None, reason: str = "quota") -> Refusal:
    return Refusal(reason, "You have hit your usage limit.", retry_at)


def pause(after: timedelta = HOUR, **changes: object) -> Pause:
    made = next_pause(refused(at(NOW + after)), "codex", "t_0", NOW, None)
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


def test_m1_the_pause_ends_when_the_provider_says() -> None:
    made = next_pause(refused(at(NOW + HOUR)), "codex", "t_1", NOW, None)
    assert (made.until, made.stated, made.failures) == (at(NOW + HOUR), True, 1)


@pytest.mark.parametrize(
    ("reason", "minutes"),
    [("quota", [15, 30, 60, 120, 240, 240]), ("rate_limit", [1, 2, 4, 8, 16, 30, 30])],
)
def test_m5_without_a_moment_the_pauses_grow_and_say_that_they_are_guesses(
    reason: str, minutes: list[int]
) -> None:
    now, before, found = NOW, None, []
    for _ in minutes:
        before = next_pause(refused(None, reason), "codex", "t_1", now, before)
        end = parse_iso(before.until)
        assert end is not None
        found.append(round((end - now).total_seconds() / 60))
        now = end
    assert found == minutes
    assert before is not None
    assert "a guess" in sentence(before)


@pytest.mark.parametrize("told", ["yesterday", at(NOW - HOUR), "", "9999-99-99"])
def test_a_moment_that_makes_no_sense_is_none(told: str) -> None:
    assert next_pause(refused(told), "codex", "t_1", NOW, None).stated is False


def test_no_stream_can_pause_an_agent_for_ever() -> None:
    made = next_pause(refused("2999-01-01T00:00:00Z"), "codex", "t_1", NOW, None)
    assert made.until == at(NOW + timedelta(days=8))


def test_refusals_of_tasks_that_had_begun_before_change_nothing() -> None:
    first = pause()
    assert next_pause(refused(None), "codex", "t_2", NOW, first) == first
    assert next_pause(refused(at(NOW + HOUR / 2)), "codex", "t_2", NOW, first) == first
    later = next_pause(refused(at(NOW + 2 * HOUR)), "codex", "t_2", NOW, first)
    assert (later.until, later.failures) == (at(NOW + 2 * HOUR), 1)
    guess = next_pause(refused(None), "codex", "t_1", NOW, None)
    stated = next_pause(refused(at(NOW + timedelta(minutes=3))), "codex", "t_2", NOW, guess)
    assert stated.until == at(NOW + timedelta(minutes=3))


def test_m5_waiting_tasks_do_not_start_all_at_once() -> None:
    starts = {start_after(pause(), f"t_{n}") for n in range(100)}
    ends = sorted(moment for moment in starts if moment)
    assert len(ends) > 50
    assert NOW + HOUR <= ends[0] <= ends[-1] <= NOW + HOUR + timedelta(seconds=10)


def test_a_damaged_or_odd_file_is_no_pause(layout: Layout) -> None:
    save_pause(layout, pause())
    path = layout.pause("codex")
    whole = path.read_bytes()
    for length in range(len(whole) - 2):
        path.write_bytes(whole[:length])
        assert load_pause(layout, "codex") is None
    (path.parent / "not an id!.json").write_text("{}")
    path.write_bytes(whole)
    assert [found.agent for found in pauses(layout, NOW)] == ["codex"]
    assert pauses(layout, NOW + 2 * HOUR) == []


class Moves(FakeClock):
    """A clock that calls back when somebody waits: once, or each time."""

    def __init__(self) -> None:
        super().__init__()
        self.once: Callable[[], object] | None = None
        self.on_sleep: Callable[[], object] = lambda: None

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self.on_sleep()
        first, self.once = self.once, None
        if first is not None:
            first()


class Waiting:
    """A task that waits for its turn, with a simulated clock."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.clock, self.cancelled = layout, Moves(), False
        records = RecordStore(layout, self.clock)
        record = Record(id="t_1", agent="codex", task_dir=str(layout.task("t_1").dir))
        records.create(record)
        plan = Plan(argv=("x",), cwd="/", shown="x", deadline_ms=1, max_parallel=1)
        self.run = TaskRun(layout, self.clock, records, record, plan, lambda: self.cancelled)

    def waits(self) -> timedelta:
        """Return how long it waited."""
        began = self.clock.now()
        with ExitStack() as stack:
            wait_for_turn(self.run, stack)
        return self.clock.now() - began

    def events(self) -> list[object]:
        path = self.run.files.events
        lines = path.read_bytes().splitlines() if path.exists() else []
        return [decode_event(line).body for line in lines]


def test_m2_a_waiting_task_starts_by_itself_when_the_quota_is_back(layout: Layout) -> None:
    """Cases M1, M2."""
    save_pause(layout, pause())
    task = Waiting(layout)
    assert HOUR <= task.waits() <= HOUR + timedelta(seconds=11)
    told, back = task.events()
    assert isinstance(told, Error)
    assert (told.reason, told.retry_at, told.fatal) == ("quota", at(NOW + HOUR), False)
    assert "usage limit" in told.message
    assert isinstance(back, Progress)


def test_a_task_of_another_agent_or_after_the_pause_waits_for_nothing(layout: Layout) -> None:
    save_pause(layout, pause(agent="claude"))
    save_pause(layout, pause(until=at(NOW - HOUR)))
    task = Waiting(layout)
    assert task.waits() == timedelta(0)
    assert task.events() == []


def test_a_pause_that_is_made_longer_or_taken_back_meanwhile_counts(layout: Layout) -> None:
    save_pause(layout, pause())
    task = Waiting(layout)
    task.clock.once = lambda: save_pause(layout, pause(2 * HOUR))
    assert task.waits() >= 2 * HOUR
    save_pause(layout, pause(9 * HOUR))
    task.clock.once = layout.pause("codex").unlink
    assert task.waits() < timedelta(seconds=2)


def test_a_waiting_task_can_be_cancelled(layout: Layout) -> None:
    save_pause(layout, pause())
    task = Waiting(layout)

    def cancel() -> None:
        task.cancelled = True

    task.clock.once = cancel
    with pytest.raises(CancelledError, match="provider"):
        task.waits()


def test_a_refusal_while_a_task_waits_for_its_slot_holds_it_back(layout: Layout) -> None:
    """Nobody sits in a slot while its provider refuses."""
    task = Waiting(layout)
    slots = Slots(layout, 1, task.clock)
    held = slots.occupy("another")

    def another_is_refused() -> None:
        slots.release(held)
        task.clock.on_sleep = lambda: taken.append(len(list(layout.slots.glob("*.json"))))
        save_pause(layout, pause())

    taken: list[int] = []
    task.clock.once = another_is_refused
    assert task.waits() >= HOUR
    assert set(taken) == {0}


class TestWatch:
    """What a running task's supervisor writes down of its provider."""

    record = Record(id="t_1", agent="codex", started_at=at(NOW), status="running")

    def watch(self, layout: Layout) -> ProviderWatch:
        return ProviderWatch(layout, FakeClock())

    def test_trouble_with_a_moment_pauses_while_the_agent_still_lives(self, layout: Layout) -> None:
        watch = self.watch(layout)
        watch.look(Trouble(message="m", reason="rate_limit"), self.record)
        watch.look(Trouble(message="m", reason="auth", retry_at=at(NOW + HOUR)), self.record)
        assert load_pause(layout, "codex") is None
        watch.look(Trouble(message="m", reason="quota", retry_at=at(NOW + HOUR)), self.record)
        assert [found.until for found in pauses(layout, NOW)] == [at(NOW + HOUR)]

    def test_an_end_for_a_quota_pauses_and_another_one_does_not(self, layout: Layout) -> None:
        failed = replace(self.record, status="failed", reason="model_error")
        self.watch(layout).ended(failed, None)
        assert pauses(layout, NOW) == []
        self.watch(layout).ended(replace(failed, reason="quota"), Error(message="no credits"))
        (found,) = pauses(layout, NOW)
        assert (found.message, found.stated, found.task_id) == ("no credits", False, "t_1")

    def test_a_success_forgets_a_pause_that_was_there_before_it_began(self, layout: Layout) -> None:
        done = replace(self.record, status="succeeded")
        save_pause(layout, pause(since=at(NOW + HOUR)))
        self.watch(layout).ended(done, None)
        assert load_pause(layout, "codex") is not None
        save_pause(layout, pause(since=at(NOW - HOUR), until=at(NOW)))
        self.watch(layout).ended(done, None)
        assert load_pause(layout, "codex") is None
