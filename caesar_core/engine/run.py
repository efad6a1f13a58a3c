"""The supervisor of one task: `python -m caesar_core.engine.run ROOT TASK_ID`.

One detached process a task. Killed at any point, another one takes the task over: it goes on
watching a living agent, and starts a preparation over that had not come to an agent yet.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from contextlib import ExitStack, suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, Final

from caesar_core.clock import Clock, SystemClock, iso
from caesar_core.engine.budget import why_stop
from caesar_core.engine.conclude import conclude, conclude_without_report
from caesar_core.engine.ending import EndFile, RunEnd, end_of
from caesar_core.engine.invocation import (
    name_session_anew,
    run_context,
    stop_plan,
    write_task_files,
)
from caesar_core.engine.mend import mend_task_files
from caesar_core.engine.pauses import ProviderWatch
from caesar_core.engine.plan import Plan, load_plan
from caesar_core.engine.prepare import (
    CancelledError,
    claim_place,
    discard_worktree,
    forget_first_attempt,
    note_surroundings,
    prepare_place,
)
from caesar_core.engine.private import close_mirrors
from caesar_core.engine.questions import MailWatch
from caesar_core.engine.restore import remember_order, restore_if_removed
from caesar_core.engine.said import Said, own_exit_code
from caesar_core.engine.slot import slot_label
from caesar_core.engine.spools import Spools
from caesar_core.engine.task_run import TaskRun
from caesar_core.engine.told import is_told
from caesar_core.engine.turn import note_budget, wait_for_turn
from caesar_core.engine.usage_watch import UsageWatch
from caesar_core.engine.writers import leave_place
from caesar_core.errors import CaesarError
from caesar_core.identity import ProcessRef, current, is_alive
from caesar_core.process.leftovers import sweep_leftovers
from caesar_core.process.spawn import TASK_MARKER, Child, SpawnError, spawn
from caesar_core.process.supervise import Ending, wakeup, watch_child
from caesar_core.protocol.event import Reason, Started
from caesar_core.repo.scratch import remove_abandoned_scratch
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.atomic import StoreError, write_atomic
from caesar_core.store.layout import Layout
from caesar_core.store.lease import CLEANUP_AGE, Lease, LeaseHeldError, lease_state
from caesar_core.store.lock import try_lock
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from caesar_core.store.remains import clear_after_death
from caesar_core.store.slots import Slots

_RESERVE: Final = 256 << 10
_LONGEST_CLEANUP: Final = CLEANUP_AGE + 5.0
_LEASE_PAUSE: Final = 0.5
_EMPTIED: Final = "As `> /dev/stdout` does. What it had just written may be missing in raw.log."
_WAS_STOPPED: Final = "The task was cancelled, and its agent is gone; nobody saw how it ended."
_STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)


class Supervisor:
    """Runs one task from wherever it stands to its end."""

    def __init__(self, layout: Layout, task_id: str, clock: Clock) -> None:
        self._layout = layout
        self._task_id = task_id
        self._clock = clock
        self._records = RecordStore(layout, clock)
        self._end = EndFile(layout.end(task_id))
        self._told_to_stop = False
        self._provider = ProviderWatch(layout, clock)

    def run(self) -> None:
        """Bring the task to its end; returns at once when somebody else does, or it is over."""
        lock = try_lock(self._layout.supervisor_lock(self._task_id))
        if lock is None:
            return
        with lock:
            record = self._run_alone()
            lock.remove()
        if record is not None:
            self._settle(record)

    def _run_alone(self) -> Record | None:
        """Bring the task to its end; return its record, `None` when it was over already."""
        with ExitStack() as stack, wakeup() as wake_fd:
            self._listen()
            record = self._records.get(self._task_id)
            if record is None or not record.is_active:
                self._forget()
                return None
            followed = record.supervisor is not None or not _lives(record.starter)
            record = self._claim(stack, record)
            if followed:
                clear_after_death(self._layout, self._task_id, self._clock)
                remove_abandoned_scratch()
            plan, problem = self._read_plan()
            run = TaskRun(
                self._layout,
                self._clock,
                self._records,
                record,
                plan or Plan(argv=(), cwd="", shown="", deadline_ms=1),
                self._cancelled,
                stack,
            )
            run.recall()
            remember_order(run)
            self._guarded(run, stack, wake_fd, problem)
            if followed:
                leave_place(self._layout, Path(record.workspace), self._task_id, self._clock)
            self._forget()
        return record

    def _forget(self) -> None:
        """Remove what only a supervisor needs; the task is over."""
        with suppress(OSError):
            for path in self._layout.run_files(self._task_id):
                path.unlink(missing_ok=True)

    def _settle(self, record: Record) -> None:
        """Stop the others of a race that this end decides."""
        if record.race_id is not None:
            # Not before: while it waits, a supervisor is as light as it can be.
            from caesar_core.engine.project import Project
            from caesar_core.engine.race_stop import settle_race

            settle_race(Project(self._layout.root, self._clock), record.race_id)

    def _read_plan(self) -> tuple[Plan | None, str]:
        """Return the plan, or why there is none: then nobody can go on with the task."""
        try:
            plan = load_plan(self._layout.plan(self._task_id))
        except CaesarError as error:
            return None, error.message
        return plan, "" if plan else "Whoever ran this task is gone."

    def _guarded(self, run: TaskRun, stack: ExitStack, wake_fd: int, problem: str) -> None:
        try:
            if problem:
                self._give_up(run, RunEnd("failed", problem, reason="other"))
            else:
                self._work(run, stack, wake_fd)
        except CancelledError as error:
            self._give_up(run, RunEnd("cancelled", error.message, reason="cancelled"))
        except CaesarError as error:
            reason: Any = "spawn" if isinstance(error, SpawnError) else "other"
            sentence = f"{error.message} {error.hint}".strip()
            self._give_up(run, RunEnd("failed", sentence, reason=reason))
        except Exception as error:  # noqa: BLE001 - whatever it is, the task has to end
            traceback.print_exc()
            sentence = f"The supervisor failed: {error!r}. See {run.files.supervisor_log}."
            self._give_up(run, RunEnd("failed", sentence, reason="other"))

    def _give_up(self, run: TaskRun, end: RunEnd) -> None:
        """Conclude a task that came to no proper end; before its agent, without a trace in git."""
        self._layout.reserve(run.id).unlink(missing_ok=True)
        with suppress(StoreError):
            self._end.begin(end)
        # An agent may run without being in the record: writing that down may be what failed.
        self._stop_what_runs()
        close_mirrors(run)
        if run.record.agent_process is None:
            discard_worktree(run)
            delete_tree(run.files.stdout.parent)
        try:
            conclude(run, end)
        except Exception:  # noqa: BLE001 - a task that nobody can conclude must not run for ever
            traceback.print_exc()
            known = self._end.load()
            conclude_without_report(run, known.end if known else end)

    def _work(self, run: TaskRun, stack: ExitStack, wake_fd: int) -> None:
        known = self._end.load()
        if known is not None:
            self._go_on_ending(run, known.end)
            return
        agent: Child | ProcessRef
        if run.record.agent_process is None:
            # One that was started just before its supervisor died is not in the record.
            self._stop_what_runs()
            if run.files.stdout.exists():
                name_session_anew(run)
            forget_first_attempt(run)
            prepare_place(run, stack)
            wait_for_turn(run, stack)
            self._set_space_aside()
            note_surroundings(run)
            agent = self._start(run)
        else:
            agent = run.record.agent_process
            if is_alive(agent):
                slots = Slots(run.layout, run.plan.max_parallel, run.clock)
                claim_place(run, stack)
                slot = slots.occupy(slot_label(run), agent=run.record.agent)
                stack.callback(slots.release, slot)
        self._watch(run, agent, wake_fd)

    def _go_on_ending(self, run: TaskRun, end: RunEnd) -> None:
        """Conclude what a supervisor before us had begun to conclude."""
        spools, agent = self._spools(run), run.record.agent_process
        if agent is None:
            self._stop_what_runs()
            discard_worktree(run)
        else:
            # Its end was decided, and it may have outlived whoever was about to stop it.
            watch_child(
                agent,
                deadline=inf,
                clock=self._clock,
                on_output=spools.pump,
                should_cancel=lambda: True,
                plan=stop_plan(run.plan.stop_signal),
                marker=f"{TASK_MARKER}={run.id}",
            )
        self._finish(run, spools, end)

    def _stop_what_runs(self) -> None:
        sweep_leftovers(f"{TASK_MARKER}={self._task_id}", clock=self._clock)

    def _set_space_aside(self) -> None:
        """An agent may fill the disk: keep enough of it to say so in a report."""
        path = self._layout.reserve(self._task_id)
        write_atomic(path, os.urandom(_RESERVE), durable=False)

    def _start(self, run: TaskRun) -> Child:
        plan = run.plan
        write_task_files(run)
        # First, because an agent may append to the stream as soon as it lives.
        if not is_told(run.files.events, Started):
            run.say(Started(agent=run.record.agent, command=plan.shown))
        child = spawn(
            plan.argv,
            cwd=Path(plan.cwd),
            env={**run.environment(), **plan.env},
            stdin=Path(plan.stdin) if plan.stdin else None,
            stdout=run.files.stdout,
            stderr=run.files.stderr,
        )
        run.update(
            status="running",
            phase="agent",
            started_at=iso(self._clock.now()),
            agent_process=child.ref,
            pid=child.ref.pid,
            deadline=self._clock.monotonic() + plan.deadline_ms / 1000,
        )
        return child

    def _watch(self, run: TaskRun, agent: Child | ProcessRef, wake_fd: int) -> None:
        spools = self._spools(run)
        mail = MailWatch(run.files, run.plan.answers, self._clock)
        translator = spools.translator
        usage = UsageWatch(self._clock)

        def take_in() -> bool:
            restore_if_removed(run)
            mail.look()
            moved = spools.pump()
            run.checkpointer.update()
            self._provider.look(run.checkpointer.view.trouble, run.record)
            usage.look(run, translator.usage)
            return moved

        def why() -> tuple[str, Reason]:
            return why_stop(run.plan.budget, translator)

        def note_end(ending: Ending) -> RunEnd:
            """Write it down: whoever follows us could not see it again."""
            restore_if_removed(run)
            given_up, reason = ("", why()[1]) if self._cancelled() else why()
            end = end_of(ending, run.plan.deadline_ms, given_up, reason)
            if end.unknown and self._cancelled():
                end = replace(end, status="cancelled", sentence=_WAS_STOPPED, reason="cancelled")
            with suppress(StoreError):
                return self._end.amend(self._end.begin(end), end).end
            return end

        limit = run.plan.deadline_ms / 1000
        ending = watch_child(
            agent,
            deadline=run.record.deadline or self._clock.monotonic() + limit,
            clock=self._clock,
            on_output=take_in,
            should_cancel=lambda: self._cancelled() or bool(why()[0]),
            plan=stop_plan(run.plan.stop_signal),
            marker=f"{TASK_MARKER}={run.id}",
            wake_fd=wake_fd,
            on_end=note_end,
        )
        self._finish(run, spools, note_end(ending))

    def _spools(self, run: TaskRun) -> Spools:
        translator = run.plan.new_translator(run_context(run))
        return Spools(
            run.files, run.journal, translator, run.new_redactor, lambda: mend_task_files(run)
        )

    def _finish(self, run: TaskRun, spools: Spools, end: RunEnd) -> None:
        spools.finish(own_exit_code(end))
        if spools.was_emptied:
            run.find("low", "The agent emptied its own output", _EMPTIED)
        _note_left_out(run, *spools.left_out)
        close_mirrors(run)
        note_budget(run, end, spools.translator.usage)
        conclude(run, end, Said(spools.translator))
        self._provider.ended(run.record, spools.translator.failure)
        spools.remove()

    def _cancelled(self) -> bool:
        return self._told_to_stop or self._layout.task(self._task_id).cancel_request.exists()

    def _listen(self) -> None:
        """Take a signal to us as the wish to cancel; a hang-up means nothing to us."""

        def stop(*_: object) -> None:
            self._told_to_stop = True

        for number in _STOP_SIGNALS:
            signal.signal(number, stop)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _claim(self, stack: ExitStack, record: Record) -> Record:
        """Become the supervisor that record and lease name."""
        if record.starter is not None:
            # Before the lease, which can take its time: who waits must see that we are there.
            record = self._records.update(self._task_id, supervisor=current())
        until = self._clock.monotonic() + _LONGEST_CLEANUP
        while True:
            try:
                self._hold_lease(stack, record)
            except LeaseHeldError:
                if record.starter is None or self._clock.monotonic() >= until:
                    raise
                self._clock.sleep(_LEASE_PAUSE)
            else:
                return self._records.update(self._task_id, supervisor=current())

    def _hold_lease(self, stack: ExitStack, record: Record) -> None:
        """Show everybody, the reference implementation too, that the task is in good hands."""
        path = self._layout.lease(self._task_id)
        label = f"task {self._task_id}"
        state = lease_state(path)
        if state == "unknown" and record.starter is not None:
            # The task is one of ours, and we hold its lock: a torn marker is nobody's.
            delete_tree(path)
        if state == "stale":
            lease = Lease.take_over(path, label, self._clock)
        else:
            lease = Lease.acquire(path, label)
        stack.callback(lease.release)


def _note_left_out(run: TaskRun, data: int, events: int) -> None:
    if data:
        detail = f"{data:,} bytes in the middle of its output are not in raw.log."
        run.find("low", "The agent printed more than is kept", detail)
    if events:
        detail = f"{events:,} events are not in events.jsonl; errors and the end are."
        run.find("low", "The agent did more than the stream holds", detail)


def _lives(starter: ProcessRef | None) -> bool:
    return starter is not None and is_alive(starter)


def main(arguments: list[str]) -> int:
    """Supervise the task that the arguments name."""
    root, task_id = arguments
    # A git of ours that outlives us is found by whoever follows, and stopped.
    os.environ[TASK_MARKER] = task_id
    Supervisor(Layout(Path(root)), task_id, SystemClock()).run()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
