"""A project of its own for one run of a real CLI, and what the run left."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes.model.server import ModelServer, Seen
from tests.integration.engine.conftest import Caesar, Ran
from tests.real.clis import CACHE, Cli
from tests.real.recording import keep


@dataclass(frozen=True, slots=True)
class Run:
    """One finished task."""

    ran: Ran
    result: dict[str, Any]
    events: list[dict[str, Any]]
    record: dict[str, Any]
    raw: str = field(repr=False)

    @property
    def report(self) -> dict[str, Any]:
        """Its reconciled report."""
        report: dict[str, Any] = self.result["report"]
        return report

    @property
    def files(self) -> list[str]:
        """What git saw change."""
        return sorted(file["path"] for file in self.report.get("changes") or ())

    @property
    def reasons(self) -> set[str]:
        """The reasons of its errors."""
        errors = [event for event in self.events if event["type"] == "error"]
        return {event["reason"] for event in errors if event.get("reason")}

    def tools(self) -> dict[str, list[str]]:
        """Return what was said of each tool call, by its id; not of handing a report in."""
        calls: dict[str, list[str]] = {}
        for event in self.events:
            if event["type"] == "tool_use" and event["tool"] != "StructuredOutput":
                calls.setdefault(event["id"], []).append(event["status"])
        return calls


@dataclass(frozen=True, slots=True)
class RealProject:
    """A repository, a home and a scenario of the scripted model for one CLI."""

    cli: Cli
    caesar: Caesar
    model: ModelServer
    name: str
    records: bool = False

    def scenario(self, name: str) -> None:
        """Have the CLI ask a scenario from now on."""
        home = Path(self.caesar.env["HOME"])
        self.caesar.env |= self.cli.prepare(home, self.model.url(self.name, name))
        # The policy refuses Claude Code by default: it may be what delegates.
        settings = home / ".config" / "caesar" / "config.toml"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text("[policy]\nallow_recursion = true\n")

    def run(self, scenario: str, *flags: str) -> Run:
        """Delegate one task and return what came of it."""
        self.scenario(scenario)
        command = ("run", "--agent", self.cli.id, "Do what the script says.", "--json", *flags)
        ran = self.caesar(*command)
        assert ran.out, ran.err
        run = self.read(ran, ran.json)
        if self.records:
            self._keep(run, "-".join([self.cli.id, scenario, *_mode(flags)]))
        return run

    def read(self, ran: Ran, result: dict[str, Any]) -> Run:
        """Return a finished task from its files."""
        task_id = result["task_id"]
        files = self.caesar.layout.task(task_id)
        events = [json.loads(line) for line in files.events.read_text().splitlines()]
        record = json.loads(self.caesar.layout.record(task_id).read_text())
        raw = files.raw_log.read_text(errors="replace") if files.raw_log.exists() else ""
        return Run(ran, result, events, record, raw)

    def _keep(self, run: Run, name: str) -> None:
        places = {
            str(run.result["workspace"]): "/home/dev/project",
            str(self.caesar.root): "/home/dev/project",
            self.caesar.env["HOME"]: "/home/dev",
            str(self.caesar.root.parent): "/home/dev",
            str(CACHE): "/opt",
            f"127.0.0.1:{self.model.port}": "127.0.0.1:18999",
        }
        keep(name, run.raw, run.record["exit_code"], places)

    def requests(self) -> list[Seen]:
        """Return what the model was asked."""
        return self.model.requests(self.name)


def _mode(flags: tuple[str, ...]) -> tuple[str, ...]:
    return ("ro",) if "read-only" in flags else ()
