"""The end of a task: report, events, record. Whatever happened, a right final state."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from caesar_core.agents.embedded import without_events
from caesar_core.clock import iso
from caesar_core.engine.checks import run_checks
from caesar_core.engine.mend import mend_task_files
from caesar_core.engine.observe import Observation, observe
from caesar_core.engine.task_run import TaskRun
from caesar_core.errors import CaesarError
from caesar_core.process.supervise import Ending
from caesar_core.protocol.event import Error, Finished, Reason, ReportStatus
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.atomic import StoreError, read_bounded, write_atomic
from caesar_core.store.records import Status
from caesar_core.text import human_duration

_LARGEST_REPORT: Final = 16 << 20
_RAW_TAIL: Final = 16 << 20
_LARGEST_BRIEF: Final = 64 << 20
_STATUS: Final[dict[str, Status]] = {"cancelled": "cancelled", "timed_out": "timed_out"}
_REASON: Final[dict[str, Reason]] = {"cancelled": "cancelled", "timed_out": "timeout"}


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How the run ended.

    Attributes:
        status: the final state of the process, and only of it.
        sentence: what happened, empty when the agent exited with 0.
        unknown: nobody saw how the agent ended; its own report decides.
    """

    status: Status
    sentence: str = ""
    exit_code: int | None = None
    signal: str | None = None
    reason: Reason | None = None
    unknown: bool = False


def end_of(ending: Ending, deadline_ms: int) -> RunEnd:
    """Return what an ending means for the task."""
    if ending.kind in _STATUS:
        limit = human_duration(deadline_ms / 1000)
        sentence = {
            "cancelled": "The task was cancelled.",
            "timed_out": f"The task ran into its limit of {limit}.",
        }[ending.kind]
        return RunEnd(
            _STATUS[ending.kind], sentence, ending.exit_code, ending.signal, _REASON[ending.kind]
        )
    if ending.kind == "lost":
        sentence = "The agent is gone, and how it ended is not known: its supervisor had died."
        return RunEnd("failed", sentence, reason="other", unknown=True)
    if ending.exit_code == 0:
        return RunEnd("succeeded", exit_code=0)
    how = f"ended by {ending.signal}" if ending.signal else f"exited with {ending.exit_code}"
    return RunEnd("failed", f"The agent {how}.", ending.exit_code, ending.signal)


def conclude(run: TaskRun, end: RunEnd, final_text: str | None = None) -> None:
    """Write the report and the last event, and make the record final."""
    run.update(phase="outcome")
    mend_task_files(run)
    observation = observe(run) if run.record.agent_process else Observation()
    end = _checked(run, end, observation)
    document, source, verified, report_status = _report(run, end, observation, final_text)
    if end.unknown and source in {"channel", "file"}:
        end = RunEnd("succeeded")
    _write_report(run, document)
    if end.sentence:
        fatal = end.status != "succeeded"
        run.say(Error(message=end.sentence, fatal=fatal, reason=end.reason))
    # A success report of an agent that failed is kept in the report, not waved about.
    spoken: ReportStatus = report_status if end.status == "succeeded" else "failed"
    run.say(Finished(status=spoken, summary=str(document["summary"]), exit_code=end.exit_code))
    stream = run.checkpointer.finish()
    reason = end.reason or (stream.trouble.reason if stream.trouble else None)
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
        pid=None,
        phase=None,
    )


def _checked(run: TaskRun, end: RunEnd, observation: Observation) -> RunEnd:
    """Put the result to its checks; a cancellation meanwhile ends the task as cancelled."""
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


def _report(
    run: TaskRun, end: RunEnd, observation: Observation, final_text: str | None
) -> tuple[dict[str, Any], str, str, Any]:
    from caesar_core.engine.reconcile import reconcile
    from caesar_core.engine.recover import RunFacts, recover_report
    from caesar_core.protocol.report import Finding

    data, problem = _agent_report(run)
    recovered = recover_report(
        RunFacts(
            report_bytes=data,
            unreadable_report=problem,
            raw_tail=without_events(_raw_tail(run)) if run.plan.translator else _raw_tail(run),
            final_text=final_text,
            brief=_brief(run),
            ended=end.sentence,
            changed=_paths(observation),
            read_only=run.record.mode == "read-only",
        )
    )
    if data is not None:
        aside = run.files.invalid_report if recovered.invalid else run.files.agent_report
        write_atomic(aside, data, durable=False)
    report, verified = reconcile(
        recovered.report,
        observation.observed,
        run.record.workspace,
        read_only=run.record.mode == "read-only",
        declares=run.plan.declares_changes and recovered.source != "synthesized",
    )
    noted = (*((*note, None) for note in run.plan.notes), *run.findings)
    ours = [Finding.model_validate(_finding(*finding)) for finding in noted]
    if report.task_id not in (None, run.id):
        title = "The report names another task"
        ours.append(Finding(severity="low", title=title, detail=str(report.task_id)))
    report = report.model_copy(
        update={
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


def _agent_report(run: TaskRun) -> tuple[bytes | None, str]:
    try:
        data = read_bounded(run.files.report, _LARGEST_REPORT)
        return run.new_redactor().redact(data), ""
    except FileNotFoundError:
        return None, ""
    except StoreError as error:
        return None, error.message


def _write_report(run: TaskRun, document: dict[str, Any]) -> None:
    path = run.files.report
    if path.is_dir() and not path.is_symlink():
        delete_tree(path)
    text = json.dumps(document, ensure_ascii=False, indent=2)
    write_atomic(path, text.encode("utf-8", "replace") + b"\n")


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
