"""The end of a task: report, events, record. Whatever happened, a right final state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from caesar_core.agents.embedded import without_events
from caesar_core.agents.login import way_in
from caesar_core.clock import iso
from caesar_core.engine.agent_side import is_handed_in
from caesar_core.engine.checks import clear_check_place, run_checks
from caesar_core.engine.ending import EndFile, EndState, RunEnd
from caesar_core.engine.handed_in import mark_invalid, put_aside, read_aside
from caesar_core.engine.mend import mend_task_files, report_long_stream, report_lost_order
from caesar_core.engine.observe import Observation, observe
from caesar_core.engine.questions import OVER, close_questions
from caesar_core.engine.restore import clear_the_way
from caesar_core.engine.said import NOTHING_SAID, Said
from caesar_core.engine.task_run import TaskRun
from caesar_core.engine.told import is_told
from caesar_core.errors import CaesarError
from caesar_core.protocol.event import Error, EventBody, Finished, ReportStatus
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.atomic import read_bounded, write_atomic

_RAW_TAIL: Final = 16 << 20
_LARGEST_BRIEF: Final = 64 << 20


def conclude(run: TaskRun, end: RunEnd, said: Said = NOTHING_SAID) -> None:
    """Write the report and the last events, and make the record final.

    Killed at any step and called again it comes to the same end: the first `end` counts, the
    agent's report is taken once, and the last events are said once.

    Raises:
        CaesarError: something cannot be written; what is stored then lets it be tried again.
    """
    clear_the_way(run)
    kept = EndFile(run.layout.end(run.id))
    state = kept.begin(end)
    if state.end != end:
        run.find("medium", "Its end could not be written down at once", end.sentence)
    state = kept.amend(state, said.weighed(state.end))
    run.update(phase="outcome")
    close_questions(run.files, OVER, run.clock)
    mend_task_files(run)
    observation = Observation()
    if run.record.agent_process:
        report_lost_order(run)
        report_long_stream(run)
        observation = observe(run)
    state = kept.amend(state, _checked(run, state.end, observation))
    state = put_aside(run, kept, state)
    document, source, verified, report_status = _report(run, state, observation, said)
    end = state.end
    if end.unknown and source in {"channel", "file"}:
        end = RunEnd("succeeded")
    _write_report(run, document)
    # A success report of an agent that failed is kept in the report, not waved about.
    spoken: ReportStatus = report_status if end.status == "succeeded" else "failed"
    finished = Finished(status=spoken, summary=str(document["summary"]), exit_code=end.exit_code)
    _say_last(run, kept, state, (*_errors(end, said), finished))
    stream = run.checkpointer.finish()
    ended_well = end.status == "succeeded" and report_status == "success"
    trouble = None if ended_well else stream.trouble
    reason = end.reason or (trouble.reason if trouble else None)
    run.update(
        status=end.status,
        ended_at=iso(run.clock.now()),
        exit_code=end.exit_code,
        signal=end.signal,
        reason=reason,
        report_source=source,
        changes_verified_by=verified,
        report_status=report_status,
        outcome=observation.outcome,
        stat=observation.stat,
        flags=observation.flags,
        usage=document.get("usage"),
        session_id=said.session_id or run.record.session_id,
        unknown_lines=said.translator.unknown_lines or None,
        pid=None,
        phase=None,
    )


def _checked(run: TaskRun, end: RunEnd, observation: Observation) -> RunEnd:
    """Put the result to its checks; a cancellation meanwhile ends the task as cancelled."""
    clear_check_place(run)
    if run.record.agent_process is None or end.status == "cancelled" or not run.plan.checks:
        return end
    if run_checks(run, observation):
        return end
    sentence = "The task was cancelled during its checks."
    return RunEnd("cancelled", sentence, end.exit_code, end.signal, "cancelled")


def conclude_without_report(run: TaskRun, end: RunEnd) -> None:
    """Make the record final when the report could not be made: the last resort."""
    run.update(
        status="failed" if end.status == "succeeded" else end.status,
        ended_at=iso(run.clock.now()),
        reason=end.reason or "other",
        warnings=(*run.record.warnings, f"No report could be written. {end.sentence}".strip()),
        pid=None,
        phase=None,
    )


def _errors(end: RunEnd, said: Said) -> tuple[Error, ...]:
    if not end.sentence or said.tells_failure(end):
        return ()
    return (Error(message=end.sentence, fatal=end.status != "succeeded", reason=end.reason),)


def _say_last(run: TaskRun, kept: EndFile, state: EndState, bodies: Sequence[EventBody]) -> None:
    """Append the last events, in one write, unless a supervisor before us did."""
    path = run.files.events
    if state.events_from is None:
        size = path.stat().st_size if path.exists() else 0
        kept.note_events(state, size)
    elif is_told(path, Finished, state.events_from):
        return
    run.say(*bodies)


def _report(
    run: TaskRun, state: EndState, observation: Observation, said: Said
) -> tuple[dict[str, Any], str, str, Any]:
    from caesar_core.engine.reconcile import reconcile
    from caesar_core.engine.recover import RunFacts, recover_report
    from caesar_core.protocol.report import Finding, Usage

    handed_in = read_aside(run.files)
    recovered = recover_report(
        RunFacts(
            report_bytes=handed_in,
            unreadable_report=state.unreadable,
            raw_tail=_printed(run, said),
            final_text=said.final_text,
            schema_tier=run.plan.schema,
            brief=_brief(run),
            channel=handed_in is not None and is_handed_in(run.files, handed_in),
            ended=state.end.sentence,
            changed=_paths(observation),
            read_only=run.record.mode == "read-only",
            advice=_advice(run, state.end),
        )
    )
    if recovered.invalid:
        mark_invalid(run.files)
    report, verified = reconcile(
        recovered.report,
        observation.observed,
        run.record.workspace,
        read_only=run.record.mode == "read-only",
        declares=_has_to_declare(run, recovered.source),
    )
    notes = ((*note, None) for note in run.plan.notes)
    noted = dict.fromkeys((*notes, *run.findings, *said.findings(recovered.source)))
    ours = [Finding.model_validate(_finding(*finding)) for finding in noted]
    if report.task_id not in (None, run.id):
        title = "The report names another task"
        ours.append(Finding(severity="low", title=title, detail=str(report.task_id)))
    doubtful = report.status == "success" and said.holds_back(recovered.source)
    usage = said.usage(report.usage.model_dump() if report.usage else None)
    report = report.model_copy(
        update={
            "status": "partial" if doubtful else report.status,
            "usage": None if usage is None else Usage.model_validate(usage),
            "task_id": run.id,
            "findings": (*recovered.findings, *report.findings, *ours),
        }
    )
    return report.to_json(), recovered.source, verified, report.status


def _paths(observation: Observation) -> list[str] | None:
    seen = observation.observed
    return None if seen is None else [change.path for change in seen]


def _finding(
    severity: str, title: str, detail: str = "", file: str | None = None
) -> dict[str, Any]:
    return {"severity": severity, "title": title, "detail": detail, "file": file}


def _write_report(run: TaskRun, document: dict[str, Any]) -> None:
    path = run.files.report
    if path.is_dir() and not path.is_symlink():
        delete_tree(path)
    text = json.dumps(document, ensure_ascii=False, indent=2)
    write_atomic(path, text.encode("utf-8", "replace") + b"\n")


def _advice(run: TaskRun, end: RunEnd) -> str:
    way = way_in(run.record.agent) if end.reason == "auth" else ""
    return f"Log in with `{way}`, then: caesar retry {run.id}" if way else ""


def _has_to_declare(run: TaskRun, source: str) -> bool:
    """Whether the report should list all that git saw: not what an earlier task had changed."""
    first = run.record.resumes is None
    return run.plan.declares_changes and first and source != "synthesized"


def _printed(run: TaskRun, said: Said) -> str:
    """Return the end of the output as far as it is made for people."""
    if said.plain_output is not None:
        return said.plain_output
    return without_events(_raw_tail(run)) if run.plan.translator else _raw_tail(run)


def _raw_tail(run: TaskRun) -> str:
    try:
        with run.files.raw_log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _RAW_TAIL))
            return file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def _brief(run: TaskRun) -> str:
    try:
        return read_bounded(run.files.brief, _LARGEST_BRIEF).decode("utf-8", "replace")
    except (FileNotFoundError, CaesarError):
        return ""
