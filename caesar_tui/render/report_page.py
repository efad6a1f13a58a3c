"""The report of a task as a page: what it says, where that came from, and whether it was seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from caesar_tui.render.cells import Ink
from caesar_tui.render.page import PageLine, bullets, field, heading, markdown

SEVERITIES: Final = ("critical", "high", "medium", "low", "info")
_INKS: Final[Mapping[str, Ink]] = {
    "success": "ok",
    "partial": "warn",
    "failed": "bad",
    "blocked": "bad",
    "critical": "bad",
    "high": "bad",
    "medium": "warn",
}
_SOURCES: Final = {
    "file": "written by the agent",
    "channel": "handed in by the agent",
    "extracted": "found in the agent's output",
    "synthesised": "made by caesar; the agent left none",
    "synthesized": "made by caesar; the agent left none",
}


def report_page(document: Mapping[str, Any]) -> list[PageLine]:
    """Return the page for the JSON of `show`."""
    report = document.get("report")
    if not report:
        return [PageLine(_missing(document), "dim")]
    lines = [*_standing(document, report), PageLine(), *markdown(str(report.get("summary", "")))]
    if report.get("details"):
        lines += [*heading("Details"), *markdown(str(report["details"]))]
    lines += _findings(_dicts(report, "findings"))
    lines += _commands(_dicts(document.get("claims") or {}, "commands"))
    lines += _changes(report, (document.get("claims") or {}).get("changes") or {})
    lines += _checks(_dicts(document, "checks"))
    lines += _list("Questions", (q.get("question") for q in _dicts(report, "questions")))
    lines += _list("Next steps", report.get("next_steps") or ())
    artifacts = (f"{a.get('path')}  {a.get('description')}" for a in _dicts(report, "artifacts"))
    lines += _list("Artifacts", artifacts)
    return [*lines, *_usage(report.get("usage") or document.get("usage"))]


def _missing(document: Mapping[str, Any]) -> str:
    is_over = document.get("status") not in {"pending", "running", None}
    return "There is no report." if is_over else "No report yet: the task is not over."


def _standing(document: Mapping[str, Any], report: Mapping[str, Any]) -> Iterator[PageLine]:
    status = str(report.get("status"))
    yield field("report", status, _INKS.get(status, ""))
    source = document.get("report_source")
    if source:
        yield field("came from", _SOURCES.get(str(source), source))
    verified = document.get("changes_verified_by")
    if verified:
        said = "git" if verified == "git" else f"nobody ({verified})"
        yield field("changes by", said, "ok" if verified == "git" else "warn")
    if document.get("reason"):
        yield field("reason", document["reason"], "bad")


def _findings(findings: Sequence[Mapping[str, Any]]) -> Iterator[PageLine]:
    if not findings:
        return
    yield from heading("Findings")
    rank = {name: place for place, name in enumerate(SEVERITIES)}
    for found in sorted(findings, key=lambda f: rank.get(str(f.get("severity")), len(rank))):
        severity = str(found.get("severity"))
        place = found.get("file") or ""
        place = f"  {place}:{found['line']}" if place and found.get("line") else f"  {place}"
        head, ink = f"{severity:<9}", _INKS.get(severity, "dim")
        yield PageLine(f"{found.get('title')}{place.rstrip()}", "strong", head, ink)
        detail = str(found.get("detail") or "").strip()
        for line in detail.split("\n") if detail else ():
            yield PageLine(line, indent=len(head))


def _commands(commands: Sequence[Mapping[str, Any]]) -> Iterator[PageLine]:
    if not commands:
        return
    yield from heading("Commands it says it ran")
    for claim in commands:
        seen, code = claim.get("seen"), claim.get("claimed_exit_code")
        head = "seen     " if seen else "not seen "
        said = "" if code is None else f"  (exit {code})"
        yield PageLine(f"{claim.get('command')}{said}", "", head, "ok" if seen else "warn")


def _changes(report: Mapping[str, Any], claims: Mapping[str, Any]) -> Iterator[PageLine]:
    changes = _dicts(report, "changes")
    declared = [str(path) for path in claims.get("declared_only") or ()]
    observed = {str(path) for path in claims.get("observed_only") or ()}
    if not changes and not declared:
        return
    yield from heading("Changes")
    for change in changes:
        path, words = str(change.get("path")), str(change.get("summary") or "")
        note = "  (not declared)" if path in observed else ""
        text = f"{path}{note}  {words}".rstrip()
        yield PageLine(text, "", f"{change.get('action', ''):<9}", "dim")
    for path in declared:
        yield PageLine(f"{path}  (declared, not seen in git)", "warn", f"{'':<9}")


def _checks(checks: Sequence[Mapping[str, Any]]) -> Iterator[PageLine]:
    if not checks:
        return
    yield from heading("Checks")
    for check in checks:
        passed = check.get("passed") is True
        text = str(check.get("name") or check.get("command") or "")
        yield PageLine(text, "", "passed   " if passed else "failed   ", "ok" if passed else "bad")


def _usage(usage: Mapping[str, Any] | None) -> Iterator[PageLine]:
    known = {k: v for k, v in (usage or {}).items() if v is not None}
    if known:
        yield from heading("Usage")
        yield from (field(name.replace("_", " "), value) for name, value in known.items())


def _list(title: str, items: Iterable[object]) -> list[PageLine]:
    found = list(items)
    return [*heading(title), *bullets(found)] if found else []


def _dicts(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = document.get(name) or ()
    return [item for item in found if isinstance(item, Mapping)]
