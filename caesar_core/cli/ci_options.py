"""What `run` and `race` do for continuous integration: options, files, annotations, exit code."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from caesar_core.cli.output import stderr
from caesar_core.errors import CaesarError
from caesar_core.text import visible

if TYPE_CHECKING:
    from caesar_core.ci.facts import TaskFacts
    from caesar_core.ci.verdict import FailOn
    from caesar_core.engine.service import Service
    from caesar_core.engine.unattended import Unattended

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_FILES: Final = ("junit", "sarif", "summary", "patch")
_OPTIONS: Final = (
    click.option("--no-input", is_flag=True, help="Ask nobody: rules and defaults answer."),
    click.option(
        "--budget",
        metavar="N",
        multiple=True,
        help="Stop a task that takes more: 2usd, 200ktok; repeatable.",
    ),
    click.option("--junit", metavar="F", help="Write task, checks and criteria as JUnit XML."),
    click.option("--sarif", metavar="F", help="Write the findings as SARIF 2.1.0."),
    click.option("--summary", metavar="F", help="Write a summary in Markdown."),
    click.option("--patch", metavar="F", help="Write the changes for `git apply`."),
    click.option(
        "--annotations",
        type=click.Choice(["auto", "github", "gitlab", "none"]),
        default="auto",
        help="Show findings beside the code.",
    ),
    click.option(
        "--fail-on",
        metavar="WHAT",
        multiple=True,
        help="Exit 1 on finding:SEVERITY, check or partial, too.",
    ),
)


def ci_options(function: Decorated) -> Decorated:
    """Add the options."""
    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), function)


@dataclass(frozen=True, slots=True)
class CiOutputs:
    """What was asked for, checked before anything starts.

    Attributes:
        files: path by kind: junit, sarif, summary, patch.
        service: github, gitlab or none.
        step_summary: where GitHub collects summaries; `None` elsewhere.
    """

    files: Mapping[str, Path]
    service: str
    step_summary: Path | None
    fail_on: FailOn
    no_input: bool = False

    @classmethod
    def prepare(cls, options: Mapping[str, Any]) -> CiOutputs:
        """Read the options and see that every file can be written.

        Raises:
            CaesarError: one cannot, or an option is not understood; nothing was started.
        """
        from caesar_core.ci.annotations import QUALITY_REPORT, service_of
        from caesar_core.ci.verdict import parse_fail_on
        from caesar_core.engine.artifacts import check_targets

        service = options["annotations"]
        service = service_of(os.environ) if service == "auto" else service
        files = {kind: Path(options[kind]) for kind in _FILES if options[kind]}
        targets = [(f"--{kind}", path) for kind, path in files.items()]
        if service == "gitlab":
            files["quality"] = Path(QUALITY_REPORT)
            targets.append(("--annotations gitlab", files["quality"]))
        fail_on = parse_fail_on(options["fail_on"])
        if options["detach"]:
            _refuse_detached(options)
        check_targets(targets)
        step = os.environ.get("GITHUB_STEP_SUMMARY") if "summary" in files else None
        if step and _is_same(files["summary"], Path(step)):
            del files["summary"]  # appended to, like everybody's
        return cls(files, service, Path(step) if step else None, fail_on, options["no_input"])

    def stand_ins(self, service: Service, tasks: Iterable[str]) -> dict[str, Unattended]:
        """Return who deals with the questions of each task: nobody, unless input is refused."""
        from caesar_core.engine.unattended import Unattended

        return {task: Unattended(service, task) for task in tasks} if self.no_input else {}

    def finish(
        self,
        service: Service,
        tasks: Sequence[str],
        code: int,
        *,
        chosen: str | None = None,
        unanswered: int = 0,
    ) -> int:
        """Write everything about finished tasks and return the final exit code.

        Args:
            tasks: their ids.
            code: the exit code that the result means.
            chosen: whose changes become the patch, and whom --fail-on looks at; the only task,
                if not given. Of several tasks without a chosen one there is no patch.
            unanswered: how many questions nobody answered.

        Raises:
            OperationError: a file cannot be written any more.
        """
        if self._asks_nothing and not unanswered:
            return code
        from caesar_core.ci.facts import facts_of
        from caesar_core.ci.verdict import exit_code

        facts = [facts_of(service.show(task)) for task in tasks]
        chosen = chosen or (tasks[0] if len(tasks) == 1 else None)
        reasons = [r for task in facts if task.id == chosen for r in self.fail_on.reasons(task)]
        notes = [f"Fails on purpose: {reason} (--fail-on)." for reason in reasons if code == 0]
        if unanswered:
            notes.append(f"Nobody answered {unanswered} of its questions (--no-input).")
        for note in notes:
            stderr().line(visible(f"note: {note}"))
        self._write(service, facts, chosen, notes)
        self._annotate(facts)
        return exit_code(code, failing=bool(reasons), unanswered=unanswered > 0)

    @property
    def _asks_nothing(self) -> bool:
        """Whether this is a run as any other: then it need not look at its result once more."""
        writes = self.files or self.step_summary is not None or self.service != "none"
        return not writes and self.fail_on == type(self.fail_on)()

    def _write(
        self, service: Service, facts: Sequence[TaskFacts], chosen: str | None, notes: Sequence[str]
    ) -> None:
        from caesar_core.ci.annotations import gitlab_report
        from caesar_core.ci.junit import junit
        from caesar_core.ci.sarif import sarif
        from caesar_core.ci.summary import summary
        from caesar_core.engine.artifacts import append_text, target

        texts: dict[str, Callable[[], str]] = {
            "junit": lambda: junit(facts),
            "sarif": lambda: sarif(facts, _version()),
            "summary": lambda: summary(facts, notes),
            "quality": lambda: gitlab_report(facts),
        }
        for kind, path in self.files.items():
            with target(path) as out:
                if kind != "patch":
                    out.write(texts[kind]().encode("utf-8", "replace"))
                elif chosen is not None:
                    service.patch_into(chosen, out)
        if self.step_summary is not None:
            append_text(self.step_summary, texts["summary"]())

    def _annotate(self, facts: Sequence[TaskFacts]) -> None:
        if self.service == "github":
            from caesar_core.ci.annotations import github_lines

            for line in github_lines(facts):
                stderr().command(line)


def _refuse_detached(options: Mapping[str, Any]) -> None:
    """Refuse what only somebody who stays until the end could do."""
    for name in (*_FILES, "fail_on", "no_input"):
        if options[name]:
            flag = name.replace("_", "-")
            raise CaesarError(
                f"--{flag} needs the end of the task, and --detach does not wait for it.",
                "Leave one of them out.",
            )


def _is_same(one: Path, other: Path) -> bool:
    return os.path.abspath(one) == os.path.abspath(other)  # noqa: PTH100 - links unfollowed


def _version() -> str:
    from caesar_core.__main__ import VERSION

    return VERSION
