"""The proof that everything of ours works here: one embedded agent, from order to apply."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.clock import SystemClock
from caesar_core.config.settings import Config
from caesar_core.engine.one_task import run_to_end
from caesar_core.engine.request import Request
from caesar_core.engine.service import Service
from caesar_core.errors import CaesarError
from caesar_core.repo.create import create_repository

_FILE: Final = "proof.txt"
_TIMEOUT_MS: Final = 30_000


@dataclass(frozen=True, slots=True)
class Proof:
    """How it went; `detail` says where it stopped, or what was shown."""

    ok: bool
    detail: str
    duration_ms: int


def prove() -> Proof:
    """Run the embedded `shell` agent in a temporary repository and apply its result there."""
    clock = SystemClock()
    begin = clock.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="caesar-doctor-") as folder:
            ok, detail = _run(Path(folder) / "project")
    except (CaesarError, OSError) as error:
        ok, detail = False, str(error)
    return Proof(ok, detail, round((clock.monotonic() - begin) * 1000))


def _run(root: Path) -> tuple[bool, str]:
    create_repository(root, {"README.md": "A project for one minute.\n"}, "Begin")
    service = Service(root)
    # What is proved is this machine, whatever somebody's policy says of the agent.
    service.project.config = Config()
    request = Request(objective=f"echo proved > {_FILE}", agent="shell", timeout=_TIMEOUT_MS)
    record = run_to_end(service, request)
    if record.status != "succeeded" or record.report_status != "success":
        return False, f"The task ended as {record.status}, its report as {record.report_status}."
    names = [change.path for change in service.diff(record.id).files]
    if names != [_FILE]:
        return False, f"The diff shows {names}, not {_FILE}."
    if not service.apply(record.id).applied or (root / _FILE).read_text() != "proved\n":
        return False, "The result could not be applied."
    return True, "a task ran in a worktree, its diff was taken and applied"
