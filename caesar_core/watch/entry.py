"""One task as the follower holds it: what was read, and the stamps that say whether to read on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from caesar_core.board.delta import Appended
from caesar_core.board.reduce import fold_lines
from caesar_core.board.views import QuestionView, StreamView, TaskView
from caesar_core.protocol.event import Event
from caesar_core.store.atomic import StoreError
from caesar_core.store.layout import TaskFiles
from caesar_core.store.mailbox import questions
from caesar_core.store.records import Record
from caesar_core.store.tail import Tail
from caesar_core.watch.convert import facts_of, question_views
from caesar_core.watch.stamp import Stamp, stamp_of
from caesar_core.watch.streams import enter

FRAME_BYTES: Final = 1 << 20
"""At most so many bytes of one stream are read in a frame; the rest waits for the next."""


@dataclass(frozen=True, slots=True)
class Pull:
    """What one look at a stream brought."""

    appended: Appended | None = None
    more: bool = False


class Entry:
    """A task that is being followed; a task that is over holds its record and nothing else."""

    def __init__(self, record: Record, files: TaskFiles) -> None:
        self.record = record
        self.files = files
        self.busy: bool | None = None
        self._stream = StreamView()
        self._questions: tuple[QuestionView, ...] = ()
        self._mail: tuple[Stamp | None, Stamp | None] = (None, None)
        self._tail: Tail | None = None

    @property
    def view(self) -> TaskView:
        """The task as a face shows it."""
        facts = facts_of(self.record, busy=self.busy)
        return TaskView(facts=facts, stream=self._stream, questions=self._questions)

    @property
    def bad_lines(self) -> int:
        """Unreadable lines of the stream."""
        return self._stream.bad_lines

    @property
    def last_at(self) -> str:
        """The time of the last event; empty before the first."""
        return self._stream.last_at or self.record.started_at or ""

    def open(self, *, replay: bool) -> None:
        """Enter the stream: at its end, or with `replay` at its beginning."""
        if replay:
            self._tail = Tail(self.files.events)
            return
        self._stream, offset = enter(self.files)
        self._tail = Tail(self.files.events, offset)

    def pull(self) -> Pull:
        """Read what the stream has grown by."""
        if self._tail is None:
            return Pull()
        try:
            read = self._tail.read(FRAME_BYTES)
        except StoreError:
            return Pull()  # a FIFO or a link in its place is no stream
        if read.reset:
            self._stream = StreamView()
        self._stream, events = fold_lines(self._stream, read.lines)
        if not (read.lines or read.reset):
            return Pull(more=read.more)
        return Pull(self._appended(events, read.offset, reset=read.reset), read.more)

    def collect_mail(self) -> bool:
        """Read the questions if their folders changed; whether they are not as they were."""
        stamps = (stamp_of(self.files.questions), stamp_of(self.files.answers))
        if stamps == self._mail:
            return False
        before, self._mail = self._questions, stamps
        self._questions = question_views(self.record.id, questions(self.files))
        return self._questions != before

    def close(self) -> None:
        """Stop following: the task is over. Questions that nobody asks any more are closed."""
        self._tail = None
        self.busy = None
        self._questions = tuple(
            replace(asked, state="closed") if asked.state == "open" else asked
            for asked in self._questions
        )

    def _appended(self, events: list[Event], size: int, *, reset: bool) -> Appended:
        return Appended(self.record.id, tuple(events), size, reset=reset)
