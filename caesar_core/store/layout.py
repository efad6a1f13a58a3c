"""Every path under `.caesar/`. No other module joins one.

The layout is the reference implementation's, so that either program reads what the other wrote;
files that only we know live beside it under names it ignores.
"""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path

from caesar_core.ids import check_id

CAESAR_DIR = ".caesar"
CHECKS = "checks"


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The files of one task (specification, "The task directory")."""

    dir: Path

    @property
    def task(self) -> Path:
        """The order: `task.json`."""
        return self.dir / "task.json"

    @property
    def report(self) -> Path:
        """The report: the agent's at first, the reconciled one at the end."""
        return self.dir / "report.json"

    @property
    def agent_report(self) -> Path:
        """The agent's own report, kept when the reconciled one replaces it; secrets redacted."""
        return self.dir / "report.agent.json"

    @property
    def invalid_report(self) -> Path:
        """What the agent wrote as a report and could not be accepted."""
        return self.dir / "report.invalid.json"

    @property
    def channel_receipt(self) -> Path:
        """What was handed in through the return channel: the digest of that report."""
        return self.dir / "report.channel.json"

    @property
    def events(self) -> Path:
        """The stream: `events.jsonl`."""
        return self.dir / "events.jsonl"

    @property
    def raw_log(self) -> Path:
        """Both outputs of the agent's process, byte for byte, as they came."""
        return self.dir / "raw.log"

    @property
    def brief(self) -> Path:
        """The brief as the agent was given it."""
        return self.dir / "brief.md"

    @property
    def report_schema(self) -> Path:
        """What the agent's last message is held to, where its CLI can do that."""
        return self.dir / "report.schema.json"

    @property
    def stdout(self) -> Path:
        """The spool that the agent's stdout is."""
        return self.dir / "spool" / "stdout"

    @property
    def stderr(self) -> Path:
        """The spool that the agent's stderr is."""
        return self.dir / "spool" / "stderr"

    @property
    def spool_offsets(self) -> Path:
        """How far the spools have been merged and translated."""
        return self.dir / "spool" / "offsets.json"

    @property
    def checkpoint(self) -> Path:
        """The folded view and the offset of `events.jsonl` that it covers."""
        return self.dir / "view.json"

    @property
    def cancel_request(self) -> Path:
        """Exists once somebody asked for the task to stop."""
        return self.dir / "cancel.json"

    @property
    def setup_log(self) -> Path:
        """The output of the worktree's setup commands."""
        return self.dir / "setup.log"

    @property
    def check_spool(self) -> Path:
        """What the check that runs now prints."""
        return self.dir / "spool" / "check"

    def check_log(self, number: int) -> Path:
        """All that the `number`-th check printed, from 1."""
        return self.dir / "checks" / f"{number}.log"

    @property
    def supervisor_log(self) -> Path:
        """What the supervisor itself had to say: empty unless it failed."""
        return self.dir / "supervisor.log"

    @property
    def questions(self) -> Path:
        """Where the questions are."""
        return self.dir / "questions"

    @property
    def answers(self) -> Path:
        """Where their answers are."""
        return self.dir / "answers"

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where the task's files are written."""
        return (self.dir, self.stdout.parent, self.dir / "checks", self.questions, self.answers)

    def question(self, question_id: str) -> Path:
        """`questions/<id>.json`."""
        return self.dir / "questions" / f"{check_id(question_id, 'question')}.json"

    def answer(self, question_id: str) -> Path:
        """`answers/<id>.json`."""
        return self.dir / "answers" / f"{check_id(question_id, 'question')}.json"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything of one project is.

    Attributes:
        root: the project's root, absolute and resolved.

    """

    root: Path

    @property
    def caesar(self) -> Path:
        """`.caesar/`."""
        return self.root / CAESAR_DIR

    @property
    def config(self) -> Path:
        """The project's configuration."""
        return self.caesar / "config.toml"

    @property
    def local_config(self) -> Path:
        """This person's configuration of the project; never committed."""
        return self.caesar / "config.local.toml"

    @property
    def config_lock(self) -> Path:
        """Held while one of the two files above is edited."""
        return self.locks / "config"

    @property
    def roles(self) -> Path:
        """The prompts of roles."""
        return self.caesar / "roles"

    @property
    def ignore_file(self) -> Path:
        """Our ignore rules, so that the user's own file stays as it is."""
        return self.caesar / ".gitignore"

    @property
    def tasks(self) -> Path:
        """The task directories."""
        return self.caesar / "tasks"

    @property
    def state(self) -> Path:
        """What is ours alone: records, slots, leases, locks."""
        return self.caesar / "state"

    @property
    def records(self) -> Path:
        """One record a task."""
        return self.state / "tasks"

    @property
    def slots(self) -> Path:
        """One file a running task."""
        return self.state / "slots"

    @property
    def queue(self) -> Path:
        """One ticket a waiting task: first come, first served."""
        return self.state / "queue"

    @property
    def applied(self) -> Path:
        """Journals of applies, for undo."""
        return self.state / "applied"

    @property
    def races(self) -> Path:
        """One small file a race."""
        return self.state / "races"

    @property
    def forecast(self) -> Path:
        """What is known about which outcomes collide; can be lost."""
        return self.state / "forecast.json"

    @property
    def pauses(self) -> Path:
        """One file an agent whose provider has refused further work for now."""
        return self.state / "paused"

    @property
    def log(self) -> Path:
        """Where a defect leaves its traceback."""
        return self.state / "caesar.log"

    @property
    def locks(self) -> Path:
        """One file a lock; that of a task is gone when the task is over and tidied up."""
        return self.state / "locks"

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where files are written that belong to no task directory."""
        own = (self.caesar, self.state, self.records, self.plans, self.slots, self.queue)
        leases = (self.state / "worktrees-in-use", self.state / "workspace-writers")
        return (*own, self.races, self.pauses, *leases)

    def pause(self, agent_id: str) -> Path:
        """Why and until when an agent gets no new task."""
        return self.pauses / f"{check_id(agent_id, 'agent')}.json"

    def record(self, task_id: str) -> Path:
        """The record of a task."""
        return self.records / f"{check_id(task_id)}.json"

    def race(self, race_id: str) -> Path:
        """The file of a race."""
        return self.races / f"{check_id(race_id, 'race')}.json"

    @property
    def plans(self) -> Path:
        """Per task that is not over: plan, reserve, end."""
        return self.state / "plans"

    def plan(self, task_id: str) -> Path:
        """What the supervisor is to do; not in the task directory, where an agent may write."""
        return self.plans / f"{check_id(task_id)}.json"

    def private(self, task_id: str) -> Path:
        """What the agent's program needs and is not for the agent; gone when the task is over."""
        return self.plans / f"{check_id(task_id)}.private"

    def end(self, task_id: str) -> Path:
        """How the task ended, until its report and record say so; not where an agent writes."""
        return self.plans / f"{check_id(task_id)}.end.json"

    def reserve(self, task_id: str) -> Path:
        """Some disk space set aside while the task runs, so that its end can be written down."""
        return self.plans / f"{check_id(task_id)}.reserve"

    def findings(self, task_id: str) -> Path:
        """What the engine has to add to the report to come."""
        return self.plans / f"{check_id(task_id)}.findings.json"

    def before(self, task_id: str) -> Path:
        """What was around the task's place just before its agent started."""
        return self.plans / f"{check_id(task_id)}.before.json"

    def run_files(self, task_id: str) -> tuple[Path, ...]:
        """What only supervisors of the task need: gone when it is over."""
        kept = (self.plan, self.reserve, self.end, self.findings, self.before)
        return tuple(of_task(task_id) for of_task in kept)

    def record_lock(self, task_id: str) -> Path:
        """Held while a record is read, changed and written."""
        return self.locks / f"{check_id(task_id)}.record"

    def supervisor_lock(self, task_id: str) -> Path:
        """Held by the one process that supervises the task."""
        return self.locks / f"{check_id(task_id)}.supervisor"

    def task(self, task_id: str) -> TaskFiles:
        """The files of a task."""
        return TaskFiles(self.tasks / check_id(task_id))

    def worktree(self, git_root: Path, task_id: str) -> Path:
        """The worktree of a task: under the root of the repository, which may be above ours."""
        return git_root / CAESAR_DIR / "wt" / check_id(task_id)

    def check_worktree(self, git_root: Path, task_id: str) -> Path:
        """Where the outcome of a task is checked out while its checks run."""
        return git_root / CAESAR_DIR / "wt" / CHECKS / check_id(task_id)

    def lease(self, task_id: str) -> Path:
        """The lease that protects a task's worktree."""
        return self.state / "worktrees-in-use" / f"{_digest(check_id(task_id))}.lock"

    def writer_lease(self, workspace: Path) -> Path:
        """The lease of the one task that may write in place in `workspace`."""
        return self.state / "workspace-writers" / f"{_digest(str(workspace))}.lock"


def layout_of(task_dir: Path) -> Layout | None:
    """Return the project that a task directory belongs to; `None` when it lies elsewhere."""
    tasks = task_dir.parent
    if (tasks.parent.name, tasks.name) != (CAESAR_DIR, "tasks"):
        return None
    return Layout(tasks.parent.parent)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def find_root(start: Path) -> Path:
    """Return the nearest folder from `start` upwards with `.caesar` or `.git`, else `start`.

    A folder above that everybody may write to, such as `/tmp`, is nobody's project: what a
    stranger leaves there must not govern the folders below.
    """
    resolved = start.resolve()
    for folder in (resolved, *resolved.parents):
        if folder != resolved and _is_everybodys(folder):
            continue
        if (folder / CAESAR_DIR).is_dir() or (folder / ".git").exists():
            return folder
    return resolved


def _is_everybodys(folder: Path) -> bool:
    try:
        return bool(folder.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return False
