"""What the report declares against what git saw (specification, "changes"); pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final, Literal

from caesar_core.engine.observed import Observed
from caesar_core.protocol.report import Change, Finding, Report

_LISTED: Final = 20


def reconcile(
    report: Report,
    observed: Sequence[Observed] | None,
    workspace: str,
    *,
    read_only: bool,
    declares: bool,
) -> tuple[Report, Literal["git", "declaration"]]:
    """Return the report with git's list of changes, its words kept, and who vouches for it.

    Args:
        observed: what git saw; `None` when it could not look, then the declaration stands.
        declares: the report is the agent's own and is expected to list its changes, so that what
            it leaves out is worth a finding.
    """
    if observed is None:
        return report, "declaration"
    declared = {normal_path(change.path, workspace): change for change in report.changes}
    seen = {change.path for change in observed} | {c.old_path for c in observed if c.old_path}
    changes = tuple(
        Change(path=change.path, action=change.action, summary=_words(change, declared))
        for change in observed
    )
    findings = [*report.findings]
    if read_only:
        findings += _each(
            "high",
            "Write detected during a read-only task",
            (change.path for change in observed),
        )
    if declares:
        undeclared = (c.path for c in observed if not {c.path, c.old_path} & declared.keys())
        findings += _each("medium", "Undeclared change", undeclared)
    findings += _each(
        "medium",
        "Change declared but not found in the diff",
        (p for p in declared if p not in seen),
    )
    return report.model_copy(update={"changes": changes, "findings": tuple(findings)}), "git"


def normal_path(path: str, workspace: str) -> str:
    """Return a declared path as git writes it: relative to the workspace, no `./`, no `..`."""
    text = path.strip().replace("\\", "/") if "\\" in path and "/" not in path else path.strip()
    pure = PurePosixPath(text)
    if pure.is_absolute() and pure.is_relative_to(workspace):
        pure = pure.relative_to(workspace)
    parts: list[str] = []
    for part in pure.parts:
        if part == ".." and parts and parts[-1] not in {"..", "/"}:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return str(PurePosixPath(*parts)) if parts else "."


def _words(change: Observed, declared: dict[str, Change]) -> str:
    said = declared.get(change.path) or declared.get(change.old_path or "")
    words = said.summary if said else ""
    return words or (f"renamed from {change.old_path}" if change.old_path else "")


def _each(severity: Literal["medium", "high"], title: str, paths: Iterable[str]) -> list[Finding]:
    """Return one finding a file, the last one for all beyond the first few."""
    found = list(paths)
    findings = [Finding(severity=severity, title=title, file=path) for path in found[:_LISTED]]
    if len(found) > _LISTED:
        rest = len(found) - _LISTED
        findings.append(Finding(severity=severity, title=title, detail=f"and {rest} more files"))
    return findings
