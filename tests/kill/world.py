"""A project with one task of everything, the commands that look after it, and what may be left."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.cli.main import run_cli
from caesar_core.engine.launcher import LocalLauncher
from caesar_core.engine.run import main as supervise
from caesar_core.identity import ProcessRef, current, is_alive, of
from caesar_core.process.leftovers import marked
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from tests.fakes.sandbox import Sandbox, Tree
from tests.kill.steps import Death, forked, outcome_of

MESSAGES: Final = ("one", "two", "three")
PATIENCE: Final = 40.0
_REPORT: Final = '{"protocol": "caesar.report/v1", "status": "success", "summary": "own words"}'
_SAY: Final = '{"type":"item.completed","item":{"id":"%s","type":"agent_message","text":"%s"}}'
LINES: Final = (
    *(_SAY % (f"i{n}", text) for n, text in enumerate(MESSAGES)),
    '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}',
)
_WORK: Final = """#!/bin/sh
{first}
echo agent >> a.txt
echo new > new.txt
{rest}
cat > "$CAESAR_REPORT_PATH" <<'END'
{report}
END
{last}
"""
CONFIG: Final = """
[policy]
max_parallel = 1
[worktree]
copy = ["local.env"]
setup = ["echo setup > built.txt"]
[checks]
commands = ["grep -q agent a.txt"]
"""


@dataclass(frozen=True, slots=True)
class World:
    """A project below a folder of its own."""

    sandbox: Sandbox
    first: tuple[Tree, bytes]

    @classmethod
    def make(cls, folder: Path, last: str = "", config: str = CONFIG) -> World:
        """Make a repository with an agent called codex that edits, adds and reports.

        Args:
            last: what the agent does after its report.
        """
        sandbox = Sandbox.make(folder / "project", {"a.txt": "one\n", "b.txt": "two\n"})
        sandbox.write({".gitignore": "local.env\nbuilt.txt\n"})
        sandbox.commit()
        sandbox.write({"local.env": "x=1\n", "b.txt": "the user's own edit\n", "mine.txt": "new\n"})
        sandbox.git("add", "b.txt")
        sandbox.write({".caesar/config.toml": config})
        said = [f"echo '{line}'" for line in LINES]
        program = folder / "bin" / "codex"
        program.parent.mkdir()
        program.write_text(
            _WORK.format(first=said[0], rest="\n".join(said[1:]), report=_REPORT, last=last)
        )
        program.chmod(0o755)
        (folder / "tmp").mkdir()
        return cls(sandbox, _users_own(sandbox))

    @property
    def folder(self) -> Path:
        return self.sandbox.root.parent

    @property
    def layout(self) -> Layout:
        return Layout(self.sandbox.root)

    @property
    def records(self) -> tuple[Record, ...]:
        return RecordStore(self.layout).scan().records

    @property
    def task_id(self) -> str:
        [record] = self.records
        return record.id

    @property
    def trace(self) -> Path:
        """What the last process that was watched did, a line a step."""
        return self.folder / "trace"

    def users_own(self) -> tuple[Tree, bytes]:
        """Return the user's files and index."""
        return _users_own(self.sandbox)

    @property
    def log(self) -> str:
        """What its processes said, for a test that fails."""
        return (self.folder / "child.log").read_text("utf-8", "replace")[-4000:]

    def save(self) -> None:
        """Keep the world as it is, to come back to."""
        shutil.copytree(self.sandbox.root, self.folder / "saved", symlinks=True)

    def restore(self) -> None:
        """Bring the saved world back."""
        shutil.rmtree(self.sandbox.root)
        shutil.copytree(self.folder / "saved", self.sandbox.root, symlinks=True)
        self.trace.unlink(missing_ok=True)
        for path in (self.folder / "tmp").iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def command(
        self,
        *words: str,
        death: Death | None = None,
        launches: bool = True,
        task_id: str | None = None,
    ) -> int:
        """Run a command line in a process of its own; its exit code, or `-n` for signal n.

        Args:
            launches: whether a supervisor that is started lives.
            task_id: the task that the command is called inside of.
        """

        def act() -> None:
            if task_id is not None:
                os.environ["CAESAR_TASK_DIR"] = str(self.layout.task(task_id).dir)
            code = run_cli(list(words))
            if code:
                os._exit(code)

        return self.process(act, death, launches=launches)

    def process(
        self, action: Callable[[], object], death: Death | None, *, launches: bool = True
    ) -> int:
        """Do something in a process of its own, in the project's folder; as for `command`."""

        def act() -> None:
            LocalLauncher.launch = _launch if launches else _launch_nothing  # type: ignore[method-assign, assignment]
            os.chdir(self.sandbox.root)
            action()

        return outcome_of(self._forked(act, death))

    def supervise(self, death: Death | None = None, *, task_id: str = "") -> int:
        """Supervise the task in a process of its own; 0, or -9 when it died."""
        words = [str(self.sandbox.root), task_id or self.task_id]
        return outcome_of(self._forked(lambda: supervise(words), death))

    def _forked(self, action: Callable[[], object], death: Death | None) -> int:
        def prepared() -> None:
            os.environ["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"
            os.environ["TMPDIR"] = str(self.folder / "tmp")
            os.environ["CAESAR_TRUST"] = "1"
            tempfile.tempdir = None
            action()

        return forked(self.sandbox.root, prepared, death)

    def until_quiet(self) -> None:
        """Wait until no task is active and nobody supervises."""
        until = time.monotonic() + PATIENCE
        while self._is_busy():
            assert time.monotonic() < until, "a task does not come to its end"
            time.sleep(0.01)

    def _is_busy(self) -> bool:
        records = self.records
        supervised = any(r.supervisor and is_alive(r.supervisor) for r in records)
        return supervised or any(record.is_active for record in records)


def _users_own(sandbox: Sandbox) -> tuple[Tree, bytes]:
    tree = sandbox.files()
    kept = {path: what for path, what in tree.items() if not path.startswith(".caesar/")}
    return kept, sandbox.index()


def _launch(_: object, layout: Layout, task_id: str) -> ProcessRef:
    """Supervise in a grandchild: what `LocalLauncher` does without a new interpreter."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        inner = os.fork()
        if inner == 0:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            supervise([str(layout.root), task_id])
            os._exit(0)
        os.write(writer, str(inner).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(writer)
    ref = of(int(os.read(reader, 20)))
    os.close(reader)
    return ref or current()


def _launch_nothing(_: object, layout: Layout, task_id: str) -> ProcessRef:
    return current()


def processes_of(task_ids: Sequence[str]) -> list[ProcessRef]:
    """Return what still carries the marker of a task."""
    return [ref for task_id in task_ids for ref in marked(f"CAESAR_TASK_ID={task_id}")]
