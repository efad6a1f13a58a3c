"""Keeping an outcome that no agent made: record, ref, report, and its checks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Final

from caesar_core.clock import iso
from caesar_core.engine.checks import run_checks
from caesar_core.engine.observe import Observation
from caesar_core.engine.observed import Observed
from caesar_core.engine.paths import from_project
from caesar_core.engine.plan import Plan
from caesar_core.engine.project import Project
from caesar_core.engine.task_run import TaskRun
from caesar_core.engine.worktrees import outcome_meta
from caesar_core.identity import current
from caesar_core.repo.changes import FileChange
from caesar_core.repo.discover import Repository
from caesar_core.repo.outcome import Outcome, keep_outcome
from caesar_core.store.atomic import write_atomic
from caesar_core.store.records import Record

PICK_AGENT: Final = "pick"


class CombinedOutcome:
    """A combined outcome on its way into the store, under an id of its own.

    Attributes:
        id: the id.
    """

    def __init__(
        self,
        project: Project,
        task_id: str,
        repository: Repository,
        sources: Sequence[str],
        base: str,
        changes: tuple[FileChange, ...],
    ) -> None:
        self._project = project
        self._repository = repository
        self._changes = changes
        self._base = base
        self._sources = sources
        self._objective = f"Picked from {', '.join(task_id[:10] for task_id in sources)}"
        self.id = task_id

    def keep(
        self,
        tree: str,
        orders: tuple[tuple[str, str, int], ...],
        should_stop: Callable[[], bool],
    ) -> Record:
        """Write record, outcome and report, run the checks; return the final record.

        Killed meanwhile, it is concluded like any task whose supervisor is gone.
        """
        self._project.records.create(self._record())
        try:
            return self._finish(tree, orders, should_stop)
        except BaseException:
            ended = iso(self._project.clock.now())
            self._project.records.update(self.id, status="failed", ended_at=ended, reason="other")
            raise
        finally:
            for path in self._project.layout.run_files(self.id):
                path.unlink(missing_ok=True)

    def _finish(
        self,
        tree: str,
        orders: tuple[tuple[str, str, int], ...],
        should_stop: Callable[[], bool],
    ) -> Record:
        run = self._run(orders, should_stop)
        outcome = self._keep_tree(run.record, tree)
        run.update(outcome=outcome.commit)
        done = not orders or run_checks(run, Observation(self._observed(), outcome.commit))
        self._report()
        run.update(
            status="succeeded" if done else "cancelled",
            report_status="success",
            ended_at=iso(self._project.clock.now()),
            phase=None,
        )
        return run.record

    def _keep_tree(self, record: Record, tree: str) -> Outcome:
        meta = {**outcome_meta(record, self._base), "picked_from": list(self._sources)}
        return keep_outcome(
            self._repository, self.id, tree, self._base, f"caesar: {self._objective}", meta
        )

    def _record(self) -> Record:
        now = iso(self._project.clock.now())
        changes = self._changes
        return Record(
            id=self.id,
            agent=PICK_AGENT,
            objective=self._objective,
            status="running",
            created_at=now,
            started_at=now,
            task_dir=str(self._project.layout.task(self.id).dir),
            workspace=str(self._project.root),
            isolation="worktree",
            base_ref=self._base,
            git_root=str(self._repository.git_root),
            changes_verified_by="git",
            filters=self._repository.git().list_filters(),
            flags=tuple(sorted({flag for change in changes for flag in change.flags})),
            stat={
                "files": len(changes),
                "insertions": sum(change.insertions or 0 for change in changes),
                "deletions": sum(change.deletions or 0 for change in changes),
            },
            starter=current(),
            supervisor=current(),
        )

    def _run(
        self, orders: tuple[tuple[str, str, int], ...], should_stop: Callable[[], bool]
    ) -> TaskRun:
        project, config = self._project, self._project.config
        record = project.records.get(self.id)
        assert record is not None, "it has just been created"
        plan = Plan(
            argv=(),
            cwd="",
            shown="",
            deadline_ms=1,
            deny=config.environment.deny,
            passed=config.environment.passed,
            assigned=config.environment.assigned,
            redact=config.environment.redact,
            copy=config.worktree.copy,
            link=config.worktree.link,
            setup=config.worktree.setup,
            setup_timeout_ms=config.worktree.setup_timeout,
            checks=orders,
        )
        files = project.layout.task(self.id)
        files.dir.mkdir(parents=True, exist_ok=True)

        def cancelled() -> bool:
            return should_stop() or files.cancel_request.exists()

        return TaskRun(project.layout, project.clock, project.records, record, plan, cancelled)

    def _observed(self) -> tuple[Observed, ...]:
        prefix = self._repository.prefix
        return tuple(Observed(from_project(c.path, prefix), c.action) for c in self._changes)

    def _report(self) -> None:
        """Leave a report like any task's, so that whoever shows one finds it."""
        from caesar_core.protocol.report import Report

        report = Report.from_json(
            {
                "protocol": Report.version,
                "task_id": self.id,
                "status": "success",
                "summary": f"{self._objective}.",
                "changes": [{"path": o.path, "action": o.action} for o in self._observed()],
            }
        )
        text = json.dumps(report.to_json(), ensure_ascii=False, indent=2)
        path = self._project.layout.task(self.id).report
        write_atomic(path, text.encode("utf-8", "replace") + b"\n", durable=False)
