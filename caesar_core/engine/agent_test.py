"""`caesar agents test`: does an agent answer at all, from its login to its report?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from caesar_core.engine.request import Request

if TYPE_CHECKING:
    from caesar_core.engine.service import Service

_LIMIT: Final = "60s"
_PAUSE: Final = 0.05
_OBJECTIVE: Final = (
    "This is a test of the connection. Change nothing and look at nothing: report at once, with "
    "status `success` and the summary `It works.`"
)
# The one agent that runs its objective instead of reading it.
_COMMAND: Final = "echo 'It works.'"


@dataclass(frozen=True, slots=True)
class AgentTest:
    """What came of it.

    Attributes:
        responded: the agent reported by itself; without that, caesar wrote the report.
        duration_ms: from the start of the task to its end, the wait for a slot included.
        status: the task's.
        reason: why it failed, as `protocol.event.Reason`; `None` when it did not, or nobody knows.
    """

    agent: str
    task_id: str
    responded: bool
    duration_ms: int
    report_source: str | None
    status: str
    summary: str
    reason: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `agents test`."""
        return {
            "agent": self.agent,
            "task_id": self.task_id,
            "responded": self.responded,
            "duration_ms": self.duration_ms,
            "report_source": self.report_source,
            "status": self.status,
            "reason": self.reason,
            "summary": self.summary,
        }


def micro_task(agent: str, *, depth: int = 1) -> Request:
    """Return the micro task: read-only, a minute at most, wherever the agent can be held to it."""
    return Request(
        objective=_COMMAND if agent == "shell" else _OBJECTIVE,
        agent=agent,
        mode="read-only",
        isolation="auto",
        timeout=_LIMIT,
        depth=depth,
    )


def run_agent_test(service: Service, agent: str, *, depth: int = 1) -> AgentTest:
    """Have an agent do the micro task and return what came of it; costs as much as one question.

    Raises:
        CaesarError: it is unknown, not installed, not allowed or not trusted; nothing was started.
    """
    begun = service.clock.monotonic()
    record, _ = service.delegate(micro_task(agent, depth=depth))
    caretaker = service.caretaker(record.id)
    try:
        while record.is_active:
            service.clock.sleep(_PAUSE)
            record = caretaker.look()
    except KeyboardInterrupt:
        service.request_cancel(record.id)
        raise
    report = service.report(record.id) or {}
    return AgentTest(
        agent=agent,
        task_id=record.id,
        responded=record.report_source not in {None, "synthesized"},
        duration_ms=round((service.clock.monotonic() - begun) * 1000),
        report_source=record.report_source,
        status=record.status,
        summary=str(report.get("summary") or ""),
        reason=record.reason,
    )
