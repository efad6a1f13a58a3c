"""Waiting for tasks on behalf of a client, and what has been handed out to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio

from caesar_core.engine.adopt import Caretaker
from caesar_core.engine.questions import AskedQuestion
from caesar_core.engine.service import Service
from caesar_core.errors import CaesarError
from caesar_core.servers.kit import Report

_PAUSE: Final = 0.1
_SIGN_OF_LIFE: Final = 2.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A task as it was at the last look.

    Attributes:
        asked: the id or prefix that the client gave.
        status: `unknown` when there is no such task.
        open: what it asks and waits for.
    """

    asked: str
    task_id: str
    status: str
    agent: str | None = None
    role: str | None = None
    is_active: bool = False
    open: tuple[AskedQuestion, ...] = ()


class Waiter:
    """Looks at some tasks again and again; one whose supervisor died gets another."""

    def __init__(self, service: Service, asked: Iterable[str]) -> None:
        self._service = service
        self._asked = tuple(dict.fromkeys(asked))
        self._caretakers: dict[str, Caretaker | None] = {}

    def look(self) -> tuple[Seen, ...]:
        """Return the tasks as they are now."""
        return tuple(self._look(name) for name in self._asked)

    def _look(self, name: str) -> Seen:
        if name not in self._caretakers:
            self._caretakers[name] = self._found(name)
        caretaker = self._caretakers[name]
        if caretaker is None:
            return Seen(name, name, "unknown")
        record = caretaker.look()
        questions = self._service.questions_of(record) if record.is_active else ()
        waiting = tuple(question for question in questions if question.is_open)
        return Seen(
            name, record.id, record.status, record.agent, record.role, record.is_active, waiting
        )

    def _found(self, name: str) -> Caretaker | None:
        try:
            return self._service.caretaker(self._service.record(name).id)
        except CaesarError:  # no id, or not of one task
            return None


class HandedOut:
    """The questions that this server has told its client of."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    def has_news(self, tasks: Iterable[Seen]) -> bool:
        """Whether a question is open that the client has not seen yet."""
        return any(_key(question) not in self._known for task in tasks for question in task.open)

    def note(self, questions: Iterable[AskedQuestion]) -> list[dict[str, Any]]:
        """Return the questions as `pending_questions`; from now on they are known."""
        handed = list(questions)
        self._known.update(map(_key, handed))
        return [question.to_pending() for question in handed]


async def wait_for(
    waiter: Waiter, handed_out: HandedOut, clock: Any, limit: float, report: Report
) -> Sequence[Seen]:
    """Wait until all tasks are over, one asks something new, or `limit` seconds have passed.

    Tells `report` whenever one more is over, and every two seconds that all goes on.
    """
    began = clock.monotonic()
    told_at, told = began, -1.0
    while True:
        tasks = await anyio.to_thread.run_sync(waiter.look)
        active = sum(task.is_active for task in tasks)
        now = clock.monotonic()
        done = float(len(tasks) - active)
        if done > told or now - told_at >= _SIGN_OF_LIFE:
            # It has to grow each time: the seconds count for less than a task.
            told, told_at = max(told, done + min(0.99, (now - began) / 1e6)), now
            await report(told, float(len(tasks)), _sentence(tasks))
        left = limit - (now - began)
        if not active or left <= 0 or handed_out.has_news(tasks):
            return tasks
        await anyio.sleep(min(_PAUSE, left))


def _sentence(tasks: Sequence[Seen]) -> str:
    running = [task.task_id for task in tasks if task.is_active]
    if not running:
        return f"all {len(tasks)} over"
    asking = sum(bool(task.open) for task in tasks)
    return f"{len(tasks) - len(running)} of {len(tasks)} over, {asking} asking"


def _key(question: AskedQuestion) -> tuple[str, str]:
    return question.task_id, question.state.file.id
