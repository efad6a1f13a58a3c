"""A task that nobody sits beside: its questions take their default, or are closed at once."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from caesar_core.engine.rules import rule_fits
from caesar_core.errors import CaesarError
from caesar_core.store import mailbox
from caesar_core.store.mailbox import QuestionState

if TYPE_CHECKING:
    from caesar_core.engine.service import Service

# Seconds in which somebody else may still answer.
_GRACE: Final = 1.0
_RULE_GRACE: Final = 15.0
_WHY: Final = "nobody is there to answer (--no-input)"


class Unattended:
    """Stands in for the person while a task is followed.

    Attributes:
        unanswered: how many questions were closed without an answer.
    """

    def __init__(self, service: Service, task_id: str) -> None:
        self._service = service
        self._task_id = task_id
        self._files = service.layout.task(task_id)
        self._since: dict[str, float] = {}
        self._rules = [rule.match for rule in service.project.config.answers]
        self.unanswered = 0

    def look(self) -> None:
        """Deal with the questions that have been open for a second. Never raises."""
        now = self._service.clock.monotonic()
        for state in mailbox.questions(self._files):
            if state.state != "open":
                continue
            since = self._since.setdefault(state.file.id, now)
            if now - since >= self._patience(state.file.question):
                with suppress(CaesarError):  # answered or closed meanwhile, or asked again below
                    self._settle(state)

    def _patience(self, question: str) -> float:
        """Return the seconds to wait: a rule's answer comes from the supervisor."""
        awaited = any(rule_fits(match, question) for match in self._rules)
        return _RULE_GRACE if awaited else _GRACE

    def _settle(self, state: QuestionState) -> None:
        asked = state.file
        if asked.default is not None:
            self._service.answer(self._task_id, asked.id, asked.default, by="its default")
            return
        closed = mailbox.close(self._files, asked.id, _WHY, self._service.clock)
        self.unanswered += closed.state == "closed"
