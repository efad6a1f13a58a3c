"""The return channel inside an agent: four tools over stdio (specification, "The return channel").

`python -m caesar_core.servers.channel --task-dir DIR`; the agent's CLI starts it and ends it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn

import anyio
from mcp.server.lowlevel import Server
from pydantic import Field

from caesar_core.clock import Clock, SystemClock
from caesar_core.engine.agent_side import AgentSide, Pauses
from caesar_core.errors import CaesarError
from caesar_core.protocol.schema import json_schema
from caesar_core.protocol.versions import REPORT_V1
from caesar_core.servers.kit import Arguments, NoArguments, Report, Result, Tool, build_server
from caesar_core.servers.stdio import Wire, serve
from caesar_core.watch.folder import FolderNotices

_INSTRUCTIONS: Final = (
    "The line to whoever gave you your task. Tell how far you are with report_progress, ask with "
    "ask_orchestrator what you cannot decide yourself, and hand in your report with submit_report "
    "as the last thing you do."
)
_FLOOR: Final = 1.0  # seconds between two looks where the system tells of changes
_STILL_WAITING: Final = 5.0  # seconds between two signs of life while a question is open


class ProgressArguments(Arguments):
    """What `report_progress` takes."""

    message: str = Field(min_length=1, description="What you are doing, in a few words.")
    pct: float | None = Field(default=None, ge=0, le=100, description="How far, in per cent.")


class AskArguments(Arguments):
    """What `ask_orchestrator` takes."""

    question: str = Field(min_length=1, description="What is to be decided.")
    options: list[str] | None = Field(default=None, description="Answers to choose from.")


class ReportArguments(Arguments, extra="allow"):
    """What `submit_report` takes: a report; it is checked by its own model."""

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
        """Return the schema of a report."""
        return json_schema("report")


class Order(Result, extra="allow"):
    """What `get_task` returns: task.json."""

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
        """Return the schema of a task."""
        return json_schema("task")


class Done(Result):
    """It was written down."""

    ok: bool
    task_id: str | None = None


class Answered(Result):
    """What became of a question: an answer, or a message that says to go on alone."""

    id: str
    answered: bool
    answer: str | None = None
    message: str | None = None


class _News:
    """Waits for the next notice of a folder, with a slow look as the floor."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Event()
        self._pauses = Pauses()

    def wake(self) -> None:
        """End the wait; called from another thread."""
        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._came.set)

    async def wait(self, *, watched: bool) -> None:
        """Wait until it is worth looking."""
        with anyio.move_on_after(_FLOOR if watched else self._pauses.next()):
            await self._came.wait()
        self._came.clear()


class ChannelTools:
    """The four tools of one task."""

    def __init__(self, side: AgentSide, clock: Clock) -> None:
        self._side = side
        self._clock = clock

    def tools(self) -> tuple[Tool, ...]:
        """Return them as data."""
        return (
            Tool(
                "get_task",
                "Read your task again: objective, context, constraints, acceptance criteria.",
                NoArguments,
                Order,
                lambda _: Order(**self._side.order()),
                reads_only=True,
            ),
            Tool(
                "report_progress",
                "Tell how far you are. Everybody who watches the task sees it; it ends nothing.",
                ProgressArguments,
                Done,
                self._progress,
            ),
            Tool(
                "ask_orchestrator",
                "Ask whoever gave you the task, and wait for the answer: five minutes at most, "
                "never past the deadline. Without an answer go on by your own judgement.",
                AskArguments,
                Answered,
                self._ask,
            ),
            Tool(
                "submit_report",
                "Hand in your report; it is checked at once and a mistake is named. May be called "
                "again: the last report counts.",
                ReportArguments,
                Done,
                self._submit,
                idempotent=True,
            ),
        )

    def _progress(self, given: ProgressArguments) -> Done:
        self._side.progress(given.message, given.pct)
        return Done(ok=True)

    async def _ask(self, given: AskArguments, report: Report) -> Answered:
        asked = await anyio.to_thread.run_sync(self._side.ask, given.question, given.options or ())
        began = told = self._clock.monotonic()
        news = _News()
        try:
            with FolderNotices(self._side.folder, news.wake) as notices:
                while (reply := self._side.reply(asked)) is None:
                    await news.wait(watched=notices.is_live)
                    if self._clock.monotonic() - told >= _STILL_WAITING:
                        told = self._clock.monotonic()
                        await report(told - began, None, "waiting for an answer")
        except BaseException:  # the client gave the call up, or left
            self._side.forget(asked)
            raise
        return Answered(**reply.to_json())

    def _submit(self, given: ReportArguments) -> Done:
        document = given.model_dump(mode="json")
        self._side.hand_in({"protocol": REPORT_V1, **document})
        return Done(ok=True, task_id=self._side.task_id)


def channel_server(task_dir: str, clock: Clock | None = None) -> Server[dict[str, Any]]:
    """Return the server for the task whose directory is `task_dir`.

    Raises:
        NotInATaskError: there is no task.
    """
    clock = clock or SystemClock()
    side = AgentSide.at(task_dir, clock, os.environ)
    return build_server("caesar-channel", _INSTRUCTIONS, ChannelTools(side, clock).tools())


def serve_channel(task_dir: str) -> NoReturn:
    """Serve the channel over stdin and stdout until the agent's CLI ends it."""
    wire = Wire()
    server = channel_server(task_dir)
    serve(lambda: server, wire)


def main(arguments: Sequence[str]) -> int:
    """Run the server that the arguments describe."""
    folder = arguments[1] if len(arguments) == 2 and arguments[0] == "--task-dir" else None
    folder = folder or os.environ.get("CAESAR_TASK_DIR")
    if not folder:
        raise SystemExit("usage: python -m caesar_core.servers.channel --task-dir DIR")
    try:
        serve_channel(folder)
    except CaesarError as error:
        raise SystemExit(f"caesar: {error.message} {error.hint}".strip()) from None


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
