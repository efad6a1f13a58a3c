"""A task's result and report as lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from caesar_core.cli.output import Output
from caesar_core.text import human_duration, one_line, visible

_STATUS_STYLE: Final = {
    "success": "ok",
    "succeeded": "ok",
    "partial": "warn",
    "blocked": "warn",
    "failed": "bad",
    "cancelled": "warn",
    "timed_out": "bad",
}
_SEVERITY_STYLE: Final = {"critical": "bad", "high": "bad", "medium": "warn", "low": "dim"}
_SHOWN_FILES: Final = 12
_SHOWN_OUTPUT: Final = 8
_LETTERS: Final = {"created": "A", "modified": "M", "deleted": "D", "renamed": "R"}


def result_lines(result: dict[str, Any], out: Output) -> Iterator[str]:
    """Yield the few lines that end a run: verdict, summary, files, findings, what to do next."""
    yield _verdict(result, out)
    report = result.get("report") or {}
    if report.get("summary"):
        yield f"  {visible(report['summary'], keep_newlines=True)}"
    yield from _files(result, out, limit=_SHOWN_FILES)
    yield from check_lines(result, out)
    yield from _findings(report, out)
    for question in report.get("questions", ()):
        yield f"  ? {one_line(question.get('question', ''), 300)}"
    for step in report.get("next_steps", ()):
        yield f"  next: {one_line(step, 300)}"
    yield from _advice(result, out)


def show_lines(shown: dict[str, Any], out: Output) -> Iterator[str]:
    """Yield the whole report of a task."""
    record, report = shown["record"], shown.get("report") or {}
    yield _verdict(shown, out)
    yield f"  objective   {one_line(record.get('objective', ''), 500)}"
    place = f"{shown['isolation']} · {shown['mode']}"
    yield f"  agent       {visible(shown['agent'])} · {place}"
    if shown.get("branch"):
        yield f"  branch      {visible(shown['branch'])}"
    yield f"  workspace   {visible(shown['workspace'])}"
    for label, key in (("started", "started_at"), ("ended", "ended_at"), ("applied", "applied_at")):
        if record.get(key):
            yield f"  {label:<11} {visible(str(record[key]))}"
    if shown.get("report_source"):
        verified = shown.get("changes_verified_by")
        yield f"  report      from {shown['report_source']}, changes verified by {verified}"
    yield from _block("Summary", report.get("summary", ""), out)
    yield from _block("Details", report.get("details", ""), out)
    yield from _section("Changes", _files(shown, out), out)
    yield from _section("Commands it says it ran", _commands(shown), out)
    yield from _section("Checks", check_lines(shown, out), out)
    yield from _section("Findings", _findings(report, out), out)
    asked = (f"  {q.get('state', '')} {one_line(q['question'], 300)}" for q in shown["questions"])
    told = (f"  {one_line(q.get('question', ''), 300)}" for q in report.get("questions", ()))
    yield from _section("Questions", (*asked, *told), out)
    steps = (f"  {one_line(step, 500)}" for step in report.get("next_steps", ()))
    yield from _section("Next steps", steps, out)
    yield from _section("Usage", _usage(shown), out)
    yield ""
    yield from _advice(shown, out)


def _verdict(result: dict[str, Any], out: Output) -> str:
    word = result.get("report_status") or result["status"]
    if result["status"] not in {"succeeded", "running", "pending"}:
        word = result["status"]
    text = str(word).replace("_", " ")
    painted = out.paint(_STATUS_STYLE.get(str(word), "accent"), text)
    reason = f" ({result['reason']})" if result.get("reason") else ""
    if result.get("contradicted"):
        painted = f"{out.paint('bad', 'contradicted')} (it reports {text}, a check failed)"
    return f"{out.paint('bold', visible(result['task_id']))}  {painted}{reason}"


def _files(result: dict[str, Any], out: Output, limit: int = 10_000) -> Iterator[str]:
    files = (result.get("diff") or {}).get("files", ())
    for change in files[:limit]:
        yield f"  {file_line(change, out)}"
    if len(files) > limit:
        yield f"  … and {len(files) - limit} more files"


def file_line(change: dict[str, Any], out: Output) -> str:
    """Return one changed file as a line: action, path, counts, flags."""
    if change["binary"]:
        counts = "binary"
    else:
        plus, minus = f"+{change['insertions'] or 0}", f"-{change['deletions'] or 0}"
        counts = f"{out.paint('ok', plus)} {out.paint('bad', minus)}"
    flags = " ".join(flag for flag in change["flags"] if flag != "binary")
    note = f"  {out.paint('warn', flags)}" if flags else ""
    return f"{_LETTERS.get(change['action'], '?')} {visible(change['path'])}  {counts}{note}"


def _findings(report: dict[str, Any], out: Output) -> Iterator[str]:
    for finding in report.get("findings", ()):
        severity = finding.get("severity", "info")
        place = f" {visible(finding['file'])}" if finding.get("file") else ""
        place += f":{finding['line']}" if place and finding.get("line") else ""
        detail = f": {one_line(finding['detail'], 400)}" if finding.get("detail") else ""
        mark = out.paint(_SEVERITY_STYLE.get(severity, "dim"), f"! {severity}")
        yield f"  {mark} {one_line(finding.get('title', ''), 200)}{place}{detail}"


def _commands(shown: dict[str, Any]) -> Iterator[str]:
    for claim in shown["claims"]["commands"]:
        seen = "seen in its stream" if claim["seen"] else "not seen in its stream"
        code = claim["claimed_exit_code"]
        if claim.get("seen_status") == "failed" and code == 0:
            seen = "but it failed in its stream"
        yield f"  {one_line(str(claim['command']), 200)} -> {code} ({seen})"


def check_lines(shown: dict[str, Any], out: Output) -> Iterator[str]:
    """Yield the checks with what came of them, and the end of what the failed ones printed."""
    for check in shown.get("checks", ()):
        passed = check.get("passed") is True
        word = out.paint("ok", "passed") if passed else out.paint("bad", "failed")
        took = human_duration((check.get("duration_ms") or 0) / 1000)
        yield f"  {word} {one_line(str(check.get('command', '')), 200)}  {out.paint('dim', took)}"
        printed = "" if passed else str(check.get("output_tail", "")).strip()
        for line in visible(printed, keep_newlines=True).split("\n")[-_SHOWN_OUTPUT:]:
            if line:
                yield f"    {out.paint('dim', '|')} {line}"


def _usage(shown: dict[str, Any]) -> Iterator[str]:
    for name, value in (shown.get("usage") or {}).items():
        if name == "duration_ms":
            yield f"  time: {human_duration(value / 1000)}"
        else:
            yield f"  {name.replace('_', ' ')}: {value}"


def _advice(result: dict[str, Any], out: Output) -> Iterator[str]:
    diff = result.get("diff") or {"is_empty": True}
    short = result["task_id"][:10]
    if not diff["is_empty"] and result.get("isolation") == "worktree":
        yield out.paint("dim", f"  caesar diff {short} · caesar apply {short}")


def _block(title: str, text: str, out: Output) -> Iterator[str]:
    if text:
        yield ""
        yield out.paint("bold", title)
        for line in visible(text, keep_newlines=True).split("\n"):
            yield f"  {line}"


def _section(title: str, lines: Any, out: Output) -> Iterator[str]:
    found = list(lines)
    if found:
        yield ""
        yield out.paint("bold", title)
        yield from found
