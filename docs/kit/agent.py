#!/usr/bin/env python3
"""An agent without a model: it plays every scenario of `caesar protocol check`.

Nothing but the standard library. A real agent would do what the objective says; this one looks at
the name of the scenario. What it shows is how each part of the contract is written down.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

TASK = json.loads(Path(os.environ["CAESAR_TASK_FILE"]).read_bytes())
FOLDER = Path(os.environ["CAESAR_TASK_DIR"])


def report(status: str = "success", summary: str = "Done.", **more: Any) -> None:
    """Write the report beside its place and move it there: nobody reads half of one."""
    path = Path(os.environ["CAESAR_REPORT_PATH"])
    document = {"protocol": "caesar.report/v1", "status": status, "summary": summary, **more}
    draft = path.with_name(".report.draft")
    draft.write_text(json.dumps(document), encoding="utf-8")
    draft.replace(path)


def now() -> str:
    """Return this moment as the contract writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def say(message: str) -> None:
    """Append one event, in one write."""
    event = {
        "protocol": "caesar.event/v1",
        "seq": 0,
        "at": now(),
        "task_id": TASK["id"],
        "type": "progress",
        "message": message,
    }
    with Path(os.environ["CAESAR_EVENTS_PATH"]).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(event) + "\n")


def ask(question: str, seconds: float = 300) -> str | None:
    """Ask, wait, and return the answer; `None` when there will be none."""
    name = uuid.uuid4().hex
    (FOLDER / "questions").mkdir(exist_ok=True)
    draft = FOLDER / "questions" / f".{name}.draft"
    document = {"id": name, "question": question, "options": [], "asked_at": now()}
    draft.write_text(json.dumps(document), encoding="utf-8")
    draft.replace(FOLDER / "questions" / f"{name}.json")
    answer, until = FOLDER / "answers" / f"{name}.json", time.monotonic() + seconds
    while not answer.exists() and time.monotonic() < until:
        time.sleep(0.1)
    return json.loads(answer.read_bytes()).get("answer") if answer.exists() else None


def make_a_file() -> None:
    """Change the workspace, which is the current folder, and declare it."""
    word = TASK["objective"].partition("the line ")[2].split(".")[0]
    Path("conformance.txt").write_text(f"{word}\n", encoding="utf-8")
    report(changes=[{"path": "conformance.txt", "action": "created", "summary": "as asked"}])


def tell() -> None:
    """Say how far it is."""
    say("half of it is done")
    report()


SCENARIOS: dict[str, Callable[[], object]] = {
    "objective": lambda: report(summary=TASK["objective"]),
    "changes": make_a_file,
    "partial": lambda: report("partial", "Half.", next_steps=["The other half."]),
    "blocked": lambda: report("blocked", "Stuck.", questions=[{"question": "Which way?"}]),
    "failed": lambda: report("failed", "There is no way."),
    "question": lambda: report(summary=f"The answer is {ask('Which word?')}."),
    "unanswered": lambda: report(summary=f"Chosen without you: {ask('Which word?') or 'mine'}."),
    "events": tell,
    "bad-report": lambda: report("perfect"),
    "deadline": lambda: time.sleep(90),
    "cancel": lambda: time.sleep(90),
}

if __name__ == "__main__":
    SCENARIOS.get(os.environ.get("CAESAR_CHECK", ""), report)()
