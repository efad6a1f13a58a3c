"""From a request to a running supervisor; a refusal leaves nothing behind."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from caesar_core.agents.base import ChannelServer, Invocation, Job, TaskFile
from caesar_core.clock import iso
from caesar_core.engine.brief import compose_brief
from caesar_core.engine.channel import channel_server, own_command
from caesar_core.engine.checks import planned_checks
from caesar_core.engine.launcher import Launcher, LocalLauncher
from caesar_core.engine.paused_agents import with_notes, without_preference
from caesar_core.engine.pauses import paused_sentences
from caesar_core.engine.plan import Plan, process_fields, save_plan
from caesar_core.engine.project import Project
from caesar_core.engine.request import ORDER_DIGEST, Request, WorkspaceFacts, order_digest
from caesar_core.engine.resolve import Resolution, resolve
from caesar_core.engine.roles import role_prompt
from caesar_core.engine.trust import require
from caesar_core.engine.writers import WorkspaceBusyError, writer_in
from caesar_core.errors import CaesarError, OperationError
from caesar_core.identity import current
from caesar_core.ids import new_task_id
from caesar_core.repo.discover import Repository, find_repository, unusable_reason
from caesar_core.repo.revisions import require_commit
from caesar_core.repo.worktree import branch_name, delete_tree
from caesar_core.store.atomic import write_atomic
from caesar_core.store.lock import file_lock
from caesar_core.store.records import Record

if TYPE_CHECKING:
    from caesar_core.protocol.task import Channel, Task

# Linux refuses a single argument of 128 KiB, whatever ARG_MAX says.
_LONGEST_ARGUMENT: Final = 128 * 1024 - 1
_OBJECTIVE_KEPT: Final = 16_000


class BriefTooLongError(CaesarError):
    """The brief does not fit on a command line."""

    code = "brief_too_long"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a task would run.

    Attributes:
        repository: the repository as seen from the root; `None` outside of any.
    """

    repository: Repository | None
    facts: WorkspaceFacts


def look_at(root: Path) -> Place:
    """Return what git says of a project's root."""
    repository = find_repository(root)
    reason = unusable_reason(root, repository)
    if reason is not None:
        sentence, remedy = reason
        return Place(None, WorkspaceFacts(usable=False, reason=sentence, remedy=remedy))
    return Place(repository, WorkspaceFacts(usable=True))


def plan_only(project: Project, request: Request) -> Resolution:
    """Return what would be done, without doing any of it.

    Raises:
        CaesarError: it would be refused.
    """
    place = look_at(project.root)
    resolution = _resolve(project, request, place)
    _Order(project, request, resolution, place).check()
    return resolution


def delegate(
    project: Project, request: Request, *, launcher: Launcher | None = None
) -> tuple[Record, Resolution]:
    """Resolve, write the order down, and start its supervisor.

    Returns:
        The record as it was created (pending) and the resolution.

    Raises:
        UntrustedError: the repository brings commands that nobody agreed to.
        CaesarError: refused; no file, worktree, branch or process was left behind.
    """
    require(project.root, project.config)
    place = look_at(project.root)
    resolution = _resolve(project, request, place)
    order = _Order(project, request, resolution, place)
    order.check()
    try:
        record = order.write()
        (launcher or LocalLauncher()).launch(project.layout, record.id)
    except CaesarError:
        order.withdraw()
        raise
    return record, resolution


def _resolve(project: Project, request: Request, place: Place) -> Resolution:
    paused = paused_sentences(project.layout, project.clock.now())
    config = without_preference(project.config, request, paused)
    found = resolve(request, config, project.agents, project.is_installed, place.facts)
    return with_notes(found, project.config, paused)


class _Order:
    """One delegation on its way to disk."""

    def __init__(
        self, project: Project, request: Request, resolution: Resolution, place: Place
    ) -> None:
        self.project, self.request, self.resolution = project, request, resolution
        self.place = place
        self.task_id = request.task_id or new_task_id()
        self.files = project.layout.task(self.task_id)
        self.in_worktree = resolution.isolation == "worktree"
        self.channel = channel_server(self.files.dir) if resolution.channel else None
        able = resolution.agent.capabilities
        by_schema = able.output_schema and self.channel is None
        self.schema = _schema(strict=able.strict_schema) if by_schema else None
        self.session_id = None if request.session else str(uuid4())
        self.task = self._task()
        self.brief = compose_brief(
            self.task,
            role_prompt=role_prompt(project.layout, resolution.role),
            command=own_command(),
            by_schema=self.schema is not None,
        )
        self.invocation = self._invocation()

    def check(self) -> None:
        """Refuse what could only fail later."""
        longest = max(len(os.fsencode(argument)) for argument in self.invocation.argv)
        if longest > _LONGEST_ARGUMENT:
            raise BriefTooLongError(
                f"The brief has {longest} bytes and does not fit on the command line of "
                f"{self.resolution.agent.id}.",
                'Use {{promptFile}}, prompt = "stdin" or prompt = "none" in its [[agent]] entry.',
            )
        if not self.in_worktree and self.resolution.mode == "write" and self.place.facts.usable:
            workspace = Path(self.task.workspace)
            writer = writer_in(self.project.layout, workspace)
            if writer is not None:
                raise WorkspaceBusyError(workspace, writer)

    def write(self) -> Record:
        """Write order, brief, plan and record; the record comes last and makes it real.

        All the while its lock is held: once nobody holds it and there is no record, what was
        written is nobody's.
        """
        lock = self.project.layout.record_lock(self.task_id)
        with file_lock(lock, clock=self.project.clock):
            record = self._write()
            lock.unlink(missing_ok=True)
        return record

    def _write(self) -> Record:
        layout = self.project.layout
        self.project.ignore_own_files(self._git_root())
        write_atomic(self.files.task, self.task.to_bytes(), durable=False)
        write_atomic(self.files.brief, self.brief.encode("utf-8", "replace"), durable=False)
        save_plan(layout.plan(self.task_id), self._plan())
        record = self._record()
        self.project.records.create(record)
        return record

    def withdraw(self) -> None:
        """Take everything back that `write` wrote."""
        layout = self.project.layout
        for path in (layout.record, layout.plan, layout.record_lock):
            with suppress(OSError):  # on a read-only file system there is nothing either
                path(self.task_id).unlink(missing_ok=True)
        with suppress(OperationError):
            delete_tree(self.files.dir)

    def _git_root(self) -> Path | None:
        return self.place.repository.git_root if self.place.repository else None

    def _workspace(self) -> Path:
        repository = self.place.repository
        if not self.in_worktree or repository is None:
            return self.project.root
        top = self.project.layout.worktree(repository.git_root, self.task_id)
        return top / repository.prefix

    def _base_ref(self) -> str | None:
        repository = self.place.repository
        if not self.in_worktree or repository is None:
            return None
        if self.request.base_ref is None:
            return repository.head
        return require_commit(repository.git(), self.request.base_ref)

    def _task(self) -> Task:
        from caesar_core.protocol.task import Task

        request, resolution = self.request, self.resolution
        return Task(
            id=self.task_id,
            created_at=iso(self.project.clock.now()),
            role=resolution.role.name if resolution.role else None,
            agent=resolution.agent.id,
            objective=request.objective,
            context=request.context,
            constraints=request.constraints,
            acceptance_criteria=request.acceptance_criteria,
            mode=resolution.mode,  # type: ignore[arg-type]
            isolation=resolution.isolation,  # type: ignore[arg-type]
            network=resolution.network,
            workspace=str(self._workspace()),
            base_ref=self._base_ref(),
            deadline_ms=resolution.deadline_ms,
            depth=request.depth,
            report_path=str(self.files.report),
            events_path=str(self.files.events),
            channel=_coordinates(self.channel),
        )

    def _invocation(self) -> Invocation:
        resolution = self.resolution
        job = Job(
            task_id=self.task_id,
            brief=self.brief,
            brief_file=self.files.brief,
            task_dir=self.files.dir,
            report_path=self.files.report,
            workspace=self._workspace(),
            mode=resolution.mode,
            network=resolution.network,
            model=resolution.model,
            role=self.task.role,
            deadline_ms=resolution.deadline_ms,
            channel=self.channel,
            extra=self.request.extra,
            schema_file=self.files.report_schema if self.schema else None,
            schema=self.schema,
            session_id=self.session_id,
            resume=self.request.session,
            private_dir=self.project.layout.private(self.task_id),
        )
        invocation = resolution.agent.invoke(job)
        program = self.project.locate(invocation.argv[0])
        files = invocation.files
        if self.schema:
            files = (*files, TaskFile(self.files.report_schema, self.schema))
        return replace(invocation, argv=(str(program), *invocation.argv[1:]), files=files)

    def _own_session(self) -> str | None:
        """Return the session's name when the agent takes it from us; else its stream tells it."""
        given = self.session_id
        return given if given and given in self.invocation.argv else None

    def _tier(self) -> str:
        if self.channel:
            return "channel"
        return "schema" if self.schema else "file"

    def _plan(self) -> Plan:
        config, resolution = self.project.config, self.resolution
        label = self.task.role or self.task.agent
        return Plan(
            **process_fields(resolution.agent, self.invocation),
            deadline_ms=resolution.deadline_ms,
            schema=self.schema is not None,
            earlier=self.request.earlier,
            session_id=self._own_session(),
            start_ref=self.request.start_ref if self.in_worktree else None,
            deny=config.environment.deny,
            passed=config.environment.passed,
            assigned=config.environment.assigned,
            redact=config.environment.redact,
            copy=config.worktree.copy,
            link=config.worktree.link,
            setup=config.worktree.setup,
            setup_timeout_ms=config.worktree.setup_timeout,
            answers=tuple((rule.match, rule.answer) for rule in config.answers),
            checks=planned_checks(config.checks, self.request, resolution.mode),
            max_parallel=config.policy.max_parallel,
            agent_limit=config.policy.max_parallel_by_agent.get(self.task.agent),
            min_free_memory=config.policy.min_free_memory,
            budget_usd=self.request.budget.usd,
            budget_tokens=self.request.budget.tokens,
            branch_stem=branch_name(label, self.request.objective, self.task_id),
            base_ref=self.task.base_ref,
            notes=tuple((n.severity, n.title, n.detail) for n in resolution.notes),
        )

    def _request(self) -> dict[str, Any]:
        digest = order_digest(self.task.to_bytes())
        return {**self.request.to_record(), ORDER_DIGEST: digest}

    def _record(self) -> Record:
        task, resolution = self.task, self.resolution
        repository = self.place.repository
        return Record(
            id=self.task_id,
            agent=task.agent,
            role=task.role,
            objective=_shortened(task.objective),
            status="pending",
            created_at=task.created_at,
            task_dir=str(self.files.dir),
            workspace=task.workspace,
            isolation=task.isolation,
            mode=task.mode,
            depth=task.depth,
            model=resolution.model,
            network=resolution.network,
            warnings=resolution.warnings,
            report_via=self._tier(),
            base_ref=task.base_ref,
            git_root=str(repository.git_root) if repository else None,
            race_id=self.request.race_id,
            resumes=self.request.resumes,
            session_id=self.request.session or self._own_session(),
            request=self._request(),
            starter=current(),
        )


def _schema(*, strict: bool) -> str:
    from caesar_core.protocol.schema import report_schema

    return report_schema(strict=strict)


def _coordinates(server: ChannelServer | None) -> Channel | None:
    from caesar_core.protocol.task import Channel

    return Channel(command=server.argv[0], args=server.argv[1:]) if server else None


def _shortened(objective: str) -> str:
    """Return what of the objective the record holds, which everybody reads all the time."""
    return objective if len(objective) <= _OBJECTIVE_KEPT else f"{objective[:_OBJECTIVE_KEPT]} …"
