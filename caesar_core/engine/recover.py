"""The report of a run, by the best tier that holds one (specification, "Retrieving the report").

Channel and file: `report.json`. Schema: the agent's final message where its CLI constrains it.
Degraded: a labelled block in the output, else any object that declares itself a report, else a
synthesis, which never claims success.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from caesar_core.engine.extract import Candidate, find_candidates
from caesar_core.errors import CaesarError
from caesar_core.protocol.report import Finding, Report
from caesar_core.protocol.versions import REPORT_V1
from caesar_core.text import one_line

Source: TypeAlias = Literal["channel", "schema", "file", "extracted", "synthesized"]
_TAIL_LINES: Final = 5
_ADVICE: Final = "Look at the diff and the log before relying on this."
_UNCHANGED: Final = "Nothing was changed; the log shows what happened."


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run left behind.

    Attributes:
        report_bytes: `report.json` as the agent left it, `None` when there is none.
        unreadable_report: why `report.json` could not even be read.
        raw_tail: the end of `raw.log`.
        final_text: the agent's last words, from its stream or its final-message file.
        schema_tier: its final message was constrained to the report's schema.
        channel: that report came through the return channel.
        ended: how the process ended, as a sentence; empty when it exited with 0.
        changed: files that git saw change; `None` when nobody could look.
        read_only: it was not supposed to change anything.
        advice: what a person should do first, when that is known.
    """

    report_bytes: bytes | None = None
    unreadable_report: str = ""
    raw_tail: str = ""
    final_text: str | None = None
    brief: str = ""
    schema_tier: bool = False
    channel: bool = False
    ended: str = ""
    changed: Sequence[str] | None = None
    read_only: bool = False
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Recovered:
    """A report and where it came from.

    Attributes:
        invalid: the agent's `report.json` was there and not acceptable; keep it aside.
    """

    report: Report
    source: Source
    invalid: bool = False
    findings: tuple[Finding, ...] = field(default=())


def recover_report(facts: RunFacts) -> Recovered:
    """Return the best report that a run left behind; always returns one."""
    problems: list[Finding] = []
    if facts.report_bytes is not None or facts.unreadable_report:
        report, problem = _from_file(facts)
        if report is not None:
            return Recovered(report, "channel" if facts.channel else "file")
        problems.append(_invalid("report.json was not acceptable", problem))
    echoes = frozenset(c.fingerprint for c in find_candidates(facts.brief) if c.document)
    texts: tuple[tuple[str, Source], ...] = (
        (facts.final_text or "", "schema" if facts.schema_tier else "extracted"),
        (facts.raw_tail, "extracted"),
    )
    for text, source in texts:
        candidates = find_candidates(text)
        report, problem = _best(candidates, echoes)
        if report is not None:
            return _held_back(Recovered(report, source, bool(problems), tuple(problems)))
        if problem and not problems:
            problems.append(_invalid("A report in the output was not acceptable", problem))
    report = _synthesis(facts, contradicted=bool(problems))
    file_invalid = facts.report_bytes is not None or bool(facts.unreadable_report)
    return Recovered(report, "synthesized", file_invalid, tuple(problems))


def _held_back(recovered: Recovered) -> Recovered:
    """Make sure that a report beside an invalid `report.json` is no success."""
    if not recovered.invalid or recovered.report.status != "success":
        return recovered
    report = recovered.report.model_copy(update={"status": "partial"})
    return Recovered(report, recovered.source, recovered.invalid, recovered.findings)


def _from_file(facts: RunFacts) -> tuple[Report | None, str]:
    if facts.report_bytes is None:
        return None, facts.unreadable_report
    try:
        return Report.from_bytes(facts.report_bytes), ""
    except CaesarError as error:
        return None, error.message


def _best(candidates: Iterable[Candidate], echoes: frozenset[str]) -> tuple[Report | None, str]:
    """Return the last valid report, labelled blocks first; else why the last one was not valid."""
    ordered = sorted(candidates, key=lambda candidate: candidate.fenced)
    problem = ""
    for candidate in reversed(ordered):
        if candidate.document is None:
            problem = problem or candidate.problem
            continue
        if candidate.fingerprint in echoes:
            continue
        try:
            return Report.from_json(candidate.document), ""
        except CaesarError as error:
            problem = problem or error.message
    return None, problem


def _invalid(title: str, problem: str) -> Finding:
    return Finding(severity="high", title=title, detail=problem)


def _synthesis(facts: RunFacts, *, contradicted: bool) -> Report:
    """Return a report in the agent's place: failed, or at best partial."""
    lines = [line for line in facts.raw_tail[-16_000:].splitlines() if _is_said(line)]
    words = facts.final_text or " | ".join(lines[-_TAIL_LINES:])
    said = one_line(words, 600)
    worked = bool(said) or bool(facts.changed)
    untouched = facts.changed is not None and not facts.changed
    missing = "The agent handed in no acceptable report" if contradicted else "No report"
    if facts.ended:
        status, lead = "failed", f"{facts.ended} {missing}."
    elif not worked:
        changed = "it changed nothing" if facts.changed is not None else "no change could be seen"
        status, lead = "failed", f"{missing}: {changed} and it said nothing."
    else:
        status, lead = "partial", f"{missing}; what it did has not been proved."
    return Report.from_json(
        {
            "protocol": REPORT_V1,
            "status": status,
            "summary": f"{lead} Last output: {said}" if said else lead,
            "next_steps": [facts.advice or (_UNCHANGED if untouched else _ADVICE)],
        }
    )


def _is_said(line: str) -> bool:
    """Whether a line of output is for a reader, and not an embedded agent's event for us."""
    return bool(line.strip()) and not line.startswith('{"caesar":')
