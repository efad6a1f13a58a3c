"""After the agent ended: what changed around its place, by its doing or by somebody else's."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Final

from caesar_core.engine.before import digests
from caesar_core.engine.task_run import TaskRun
from caesar_core.errors import CaesarError
from caesar_core.identity import is_alive
from caesar_core.repo.changes import text_path
from caesar_core.repo.discover import Repository
from caesar_core.repo.git_dir import ref_state
from caesar_core.repo.hardening import runs_program
from caesar_core.repo.main_tree import main_tree_state, touched_since
from caesar_core.text import one_line

_OUTSIDE: Final = "Changed outside of the worktree while the task ran"
_OUTSIDE_DETAIL: Final = "By this task or by somebody else; it is not part of the task's diff."
_SHOWN: Final = 10
_SETTINGS_SHOWN: Final = 30
_SETTINGS: Final = "Programs that git runs were configured in your repository meanwhile"
_SETTINGS_DETAIL: Final = "Unless that was you, remove them: git config --list --show-origin"
_SOMEBODY: Final = "By this task or by somebody else."
_MORE: Final = "More of what your git obeys was changed while the task ran"
_HOOK: Final = "Git runs it as you. Unless it is yours, remove it before your next git command."
_LOST_HOOK: Final = "Git does not run it any more. Unless that was you, put it back."
_CONFIG: Final = "Unless that was you, mend it: git config --edit --file"
_RULES: Final = "Git obeys it in all of your worktrees. Unless that was you, mend or remove it."


def report_outside(run: TaskRun, repository: Repository) -> None:
    """Name what changed in the user's own work tree; nobody can tell who did it."""
    if run.before is None or run.before.main_tree is None:
        return
    ours = _output_of_follower(run)
    touched = [
        path
        for path in touched_since(run.before.main_tree, main_tree_state(repository))
        if not ours or _identity(repository.git_root / path) not in ours
    ]
    for path in touched[:_SHOWN]:
        run.find("low", _OUTSIDE, _OUTSIDE_DETAIL, file=path)
    if len(touched) > _SHOWN:
        run.find("low", _OUTSIDE, f"and {len(touched) - _SHOWN} more")


def report_shared(run: TaskRun) -> None:
    """Name once more what changed in what the user's git obeys; never raises.

    After the checks, which run what the agent wrote; what was named before is not named twice.
    """
    with suppress(CaesarError, OSError):
        report_git_dir(run)
        if run.repository is not None:
            report_programs(run, run.repository)
            report_refs(run, run.repository)


def report_programs(run: TaskRun, repository: Repository) -> None:
    """Name filters, hooks and other programs that were configured while the task ran.

    A worktree shares its configuration with the user's repository: their next git would run them.
    """
    git = repository.git()
    found = set(git.list_filters()) - set(run.record.filters)
    if run.before is not None:
        settings = git.list_settings()
        fresh = {
            key for key in _changed(run.before.settings, digests(settings)) if runs_program(key)
        }
        found |= {entry for entry in settings if entry.partition("\n")[0] in fresh}
    if found:
        told = "; ".join(one_line(entry, 120) for entry in sorted(found)[:_SETTINGS_SHOWN])
        run.find("high", _SETTINGS, f"{told}. {_SETTINGS_DETAIL}")


def report_refs(run: TaskRun, repository: Repository) -> None:
    """Name branches, tags and stashes of the user that went or moved, and what they were.

    Not the branch that was or is checked out: people commit there, and switch.
    """
    if run.before is None:
        return
    before, now = run.before.refs, ref_state(repository.git())
    known = [ref for ref in _changed(before, now) if before.get(ref) and now.get(ref) != ""]
    moved = [(ref, "moved" if ref in now else "removed") for ref in known]
    for ref, how in moved[:_SHOWN]:
        back = f"{_SOMEBODY} Unless that was you: git update-ref {quote(ref)} {before[ref]}"
        severity = "medium" if how == "removed" else "low"
        run.find(severity, f"{one_line(ref)} was {how} while the task ran", back)
    if len(moved) > _SHOWN:
        rest = ", ".join(f"{ref} ({before[ref]})" for ref, _ in moved[_SHOWN:])
        run.find("medium", "More branches and tags moved", one_line(rest, 4000))


def report_git_dir(run: TaskRun) -> None:
    """Name hooks, configuration and rules of the user's git that are not as they were."""
    if run.before is None:
        return
    before, now = run.before.files, run.before.files_now()
    found = [
        finding
        for path in _changed(before, now)
        if (finding := _told(run, path, was=path in before, now=path in now))
    ]
    for severity, title, detail, path in found[:_SHOWN]:
        run.find(severity, title, f"{_SOMEBODY} {detail}", file=text_path(os.fsencode(path)))
    if len(found) > _SHOWN:
        rest = ", ".join(path for *_, path in found[_SHOWN:])
        run.find("high", _MORE, f"{len(found) - _SHOWN} more: {one_line(rest, 2000)}")


def _told(run: TaskRun, path: str, *, was: bool, now: bool) -> tuple[str, str, str, str] | None:
    how = ("changed" if was else "added") if now else "removed"
    if _is_hook(run, Path(path)):
        title = f"A git hook was {how} in your repository while the task ran"
        return "high", title, _HOOK if now else _LOST_HOOK, path
    if not path.endswith(("config", "config.worktree")):
        return "high", f"A file of git's rules was {how} while the task ran", _RULES, path
    keys = _changed_keys(run, path)
    if keys is not None and not keys:
        return None
    told = f"Settings: {one_line(', '.join(keys), 1000)}. " if keys else ""
    severity = "low" if keys and _are_of_new_branches(run, keys) else "high"
    title = f"Your git configuration was {how} while the task ran"
    return severity, title, f"{told}{_CONFIG} {quote(path)}", path


def _is_hook(run: TaskRun, path: Path) -> bool:
    return "hooks" in (path.name, path.parent.name) or (
        run.before is not None and str(path.parent) == run.before.hooks
    )


def _changed_keys(run: TaskRun, path: str) -> list[str] | None:
    """Return what else than programs was set in the repository's configuration.

    `None` where nobody can tell: another file, or one that git cannot read any more.
    """
    if run.before is None or Path(path) != Path(run.before.common_dir, "config"):
        return None
    try:
        if run.repository is None:
            return None
        now = digests(run.repository.git().list_settings())
    except CaesarError:
        return None
    before = run.before.settings
    return [key for key in _changed(before, now) if key not in now or not runs_program(key)]


def _are_of_new_branches(run: TaskRun, keys: list[str]) -> bool:
    """Whether all that was set is what branches follow that had no settings: git does it itself."""
    before = run.before.settings if run.before else {}
    known = {key.rpartition(".")[0] for key in before}
    branches = [key.rpartition(".")[0] for key in keys]
    return all(name.startswith("branch.") and name not in known for name in branches)


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    yield from sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))


def _output_of_follower(run: TaskRun) -> set[tuple[int, int]]:
    """Return the files that our own output goes to, as in `caesar run … > out.json`.

    Known while whoever started the task follows it, where the system has `/proc`.
    """
    starter = run.record.starter
    if starter is None or not is_alive(starter):
        return set()
    found = (_identity(Path(f"/proc/{starter.pid}/fd/{number}")) for number in (1, 2))
    return {identity for identity in found if identity is not None}


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino
