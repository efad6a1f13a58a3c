"""Whether a scenario's evidence honours its requirement, with the reason in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from caesar_core.engine.kit.evidence import Evidence
from caesar_core.text import counted, one_line


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether it is honoured, and what was seen."""

    honoured: bool
    detail: str


def minimal(seen: Evidence) -> Verdict:
    """A valid report of success, and an exit code of 0."""
    problem = _reported(seen, "success")
    if problem:
        return Verdict(honoured=False, detail=problem)
    if seen.exit_code != 0:
        return Verdict(honoured=False, detail=f"it reports success and {seen.how_it_ended}")
    return Verdict(honoured=True, detail=f"reported after {seen.seconds:.1f} s")


def objective(seen: Evidence) -> Verdict:
    """The word of the objective stands in the summary."""
    return _either(
        _reported(seen, "success") or _lacks_word(seen), "its summary has the word of its objective"
    )


def changes(seen: Evidence) -> Verdict:
    """The file that was asked for is there and declared."""
    found = seen.files.get("conformance.txt")
    undeclared = any(f.get("title") == "Undeclared change" for f in _rows(seen, "findings"))
    if seen.word not in (found or ""):
        return Verdict(honoured=False, detail="conformance.txt was not made as asked")
    problem = "the report does not list it under changes" if undeclared else ""
    return _either(problem, "git and the report agree on it")


def partial(seen: Evidence) -> Verdict:
    """Partial, with what is left."""
    problem = _reported(seen, "partial")
    if not problem and not _rows(seen, "next_steps"):
        problem = "it reports partial and no next_steps"
    return _either(problem, "next_steps say what is left")


def blocked(seen: Evidence) -> Verdict:
    """Blocked, with the decision it needs."""
    problem = _reported(seen, "blocked")
    if not problem and not _rows(seen, "questions"):
        problem = "it reports blocked and no questions"
    return _either(problem, "questions say which decision is needed")


def failed(seen: Evidence) -> Verdict:
    """Failed, by its own account."""
    return _either(_reported(seen, "failed"), "it says itself that it failed")


def question(seen: Evidence) -> Verdict:
    """It asked, waited, and used the answer."""
    problem = "" if seen.asked else "it asked nothing"
    return _either(problem or _reported(seen, "success") or _lacks_word(seen), "it used the answer")


def alone(seen: Evidence) -> Verdict:
    """It asked, got no answer, and went on."""
    problem = "" if seen.asked else "it asked nothing"
    return _either(problem or _reported(seen, "success"), "without an answer it went on")


def events(seen: Evidence) -> Verdict:
    """It said something while it worked, in valid lines."""
    problem = "it appended nothing" if not seen.events else ""
    if seen.bad_lines:
        problem = f"{counted(seen.bad_lines, 'line')} of events.jsonl are no events"
    return _either(problem, f"{counted(seen.events, 'event')} of its own")


def bad_report(seen: Evidence) -> Verdict:
    """The unacceptable report it was told to write was recognised as one."""
    if not seen.invalid:
        return Verdict(honoured=False, detail="it handed in nothing that is unacceptable")
    refused = seen.report_status != "success"
    return Verdict(refused, "caesar refused it: no success, a finding says why")


def read_only(seen: Evidence) -> Verdict:
    """It changed nothing."""
    changed = ", ".join(one_line(path, 60) for path in list(seen.files)[:3])
    return _either(f"it changed {changed}" if changed else "", "it changed nothing")


def stopped(seen: Evidence) -> Verdict:
    """It ended when it was asked to, or had ended before."""
    if seen.stopped_late:
        return Verdict(honoured=False, detail="TERM did not end it; it had to be killed")
    if seen.status in {"succeeded", "failed"}:
        detail = f"it {seen.how_it_ended} by itself after {seen.seconds:.1f} s, before that"
        return Verdict(honoured=True, detail=detail)
    return Verdict(honoured=True, detail=f"{seen.how_it_ended}, asked once")


def valid_reports(all_seen: Mapping[str, Evidence]) -> Verdict:
    """No report was unacceptable, the one that had to be aside."""
    bad = sorted(name for name, seen in all_seen.items() if seen.invalid and name != "bad-report")
    return _either(f"unacceptable: {', '.join(bad)}" if bad else "", "every report was acceptable")


def workspace(all_seen: Mapping[str, Evidence]) -> Verdict:
    """Nothing was written outside of the workspaces."""
    found = {path for seen in all_seen.values() for path in seen.outside}
    shown = ", ".join(one_line(path, 60) for path in sorted(found)[:3])
    return _either(
        f"it wrote {shown}" if shown else "",
        "nothing in the kit's own project outside of it was changed",
    )


def _reported(seen: Evidence, wanted: str) -> str:
    """Return why the report is not the agent's own with this status, empty when it is."""
    if seen.invalid:
        why = next((f for f in _rows(seen, "findings") if f.get("severity") == "high"), {})
        return f"its report is unacceptable: {one_line(str(why.get('detail') or ''), 160)}"
    if not seen.handed_in:
        return f"no report at $CAESAR_REPORT_PATH; it {seen.how_it_ended}"
    if seen.report_status != wanted:
        return f"it reports {seen.report_status}"
    return ""


def _lacks_word(seen: Evidence) -> str:
    return "" if seen.word in seen.summary else f"its summary lacks {seen.word}"


def _either(problem: str, good: str) -> Verdict:
    return Verdict(not problem, problem or good)


def _rows(seen: Evidence, key: str) -> Iterable[Mapping[str, object]]:
    rows = seen.report.get(key)
    return rows if isinstance(rows, list) else ()
