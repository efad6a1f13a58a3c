"""`demo-careful` and `demo-quick`: scripted agents for `caesar demo` and for tests.

They read, think, edit, run real tests, ask and report over several seconds, in the small project
of :data:`PROJECT`; anywhere else they leave one note. No model, no network.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from caesar_core.agents.base import NO_CONTEXT, Capabilities, Invocation, Job, RunContext
from caesar_core.agents.embedded import EmbeddedTranslator, invoke_module, say, write_report
from caesar_core.clock import SystemClock, iso
from caesar_core.errors import CaesarError
from caesar_core.ids import new_task_id
from caesar_core.protocol.event import (
    FileChanged,
    Message,
    Progress,
    Question,
    Thinking,
    ToolStatus,
    ToolUse,
)

PACE: Final = "CAESAR_DEMO_PACE"
OBJECTIVE: Final = (
    "slugify() keeps punctuation and returns an empty text for a title without letters. "
    "Mend both and make the tests pass."
)
PROJECT: Final[dict[str, str]] = {
    "slugs.py": '''"""Titles to slugs."""


def slugify(title):
    """Return `title` as lower-case words joined by dashes."""
    return "-".join(title.lower().split())
''',
    "test_slugs.py": """import unittest

from slugs import slugify


class SlugTest(unittest.TestCase):
    def test_words_are_joined_by_dashes(self):
        self.assertEqual(slugify("Hello big World"), "hello-big-world")

    def test_punctuation_is_dropped(self):
        self.assertEqual(slugify("Rock, paper & scissors!"), "rock-paper-scissors")

    def test_a_title_without_letters_is_untitled(self):
        self.assertEqual(slugify("?!"), "untitled")


if __name__ == "__main__":
    unittest.main()
""",
    "README.md": "# slugs\n\nTitles to slugs. Run `python -m unittest`.\n",
}
_QUICK: Final = '''"""Titles to slugs."""


def slugify(title):
    """Return `title` as lower-case words joined by dashes."""
    kept = "".join(c if c.isalnum() else " " for c in title.lower())
    return "-".join(kept.split())
'''
_CAREFUL: Final = '''"""Titles to slugs."""

import re


def slugify(title):
    """Return `title` as lower-case words joined by dashes; `untitled` when it has no word."""
    return "-".join(re.findall(r"[^\\W_]+", title.lower())) or "untitled"
'''
_MORE_TESTS: Final = """
    def test_underscores_and_tabs_separate_words(self):
        self.assertEqual(slugify("snake_case\\tand more"), "snake-case-and-more")
"""


@dataclass(frozen=True, slots=True)
class DemoAgent:
    """A scripted agent."""

    id: str
    display_name: str
    bin: str = sys.executable

    @property
    def capabilities(self) -> Capabilities:
        """It speaks JSON and needs no network."""
        return Capabilities(json_events=True, network="toggle")

    def invoke(self, job: Job) -> Invocation:
        """Return the process.

        Raises:
            CaesarError: arguments were given for it; its script takes none.
        """
        if job.extra:
            raise CaesarError(f"{self.id} takes no arguments.", "Leave out what follows `--`.")
        invocation = invoke_module("caesar_core.agents.demo", (self.id,), job, self.id)
        # An agent inherits no CAESAR_* of ours, so this one is handed on.
        pace = {PACE: os.environ[PACE]} if PACE in os.environ else {}
        return replace(invocation, env=pace)

    def translator(self, context: RunContext = NO_CONTEXT) -> EmbeddedTranslator:  # noqa: ARG002 - the protocol's shape
        """Return a fresh translator."""
        return EmbeddedTranslator()


DEMO_AGENTS: Final = (
    DemoAgent("demo-careful", "Demo (careful)"),
    DemoAgent("demo-quick", "Demo (quick)"),
)


class Script:
    """The moves of a scripted agent; `pace` is the length of a pause in seconds."""

    def __init__(self, pace: float) -> None:
        self._clock = SystemClock()
        self.pace_seconds = pace
        self._calls = 0

    def pause(self, beats: float = 1.0) -> None:
        """Take a moment, as a model would."""
        self._clock.sleep(self.pace_seconds * beats)

    def think(self, text: str) -> None:
        """Show a thought."""
        say(Thinking(text=text))
        self.pause()

    def tell(self, text: str) -> None:
        """Say something."""
        say(Message(text=text))
        self.pause()

    def read(self, path: str) -> None:
        """Read a file."""
        self._tool("read", path, lambda: Path(path).is_file())

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        action = "modified" if Path(path).exists() else "created"

        def write() -> bool:
            Path(path).write_text(text, encoding="utf-8")
            return True

        self._tool("write", path, write)
        say(FileChanged(path=path, action="modified" if action == "modified" else "created"))
        self.pause(0.5)

    def test(self) -> bool:
        """Run the project's tests, really."""

        def run() -> bool:
            command = [sys.executable, "-B", "-m", "unittest", "-q"]
            return subprocess.run(command, check=False, stdout=sys.stderr).returncode == 0

        return self._tool("shell", "python -m unittest -q", run, beats=2.0)

    def ask(self, question: str, options: tuple[str, ...], seconds: float) -> str | None:
        """Ask, wait a little, and return the answer if one came."""
        identity = new_task_id().removeprefix("t_")
        folder = Path(os.environ["CAESAR_TASK_DIR"])
        now = self._clock.now()
        document = {
            "id": identity,
            "question": question,
            "options": list(options),
            "asked_at": iso(now),
            "closes_at": iso(now + timedelta(seconds=seconds)),
        }
        (folder / "questions").mkdir(exist_ok=True)
        (folder / "questions" / f"{identity}.json").write_text(json.dumps(document))
        say(Question(id=identity, question=question, options=options))
        answer = folder / "answers" / f"{identity}.json"
        until = self._clock.monotonic() + seconds
        while not answer.exists() and self._clock.monotonic() < until:
            self._clock.sleep(min(0.2, seconds))
        return json.loads(answer.read_bytes()).get("answer") if answer.exists() else None

    def _tool(
        self, tool: str, summary: str, action: Callable[[], bool], *, beats: float = 0.7
    ) -> bool:
        self._calls += 1
        call = f"call_{self._calls}"
        say(ToolUse(tool=tool, id=call, input_summary=summary, status="started"))
        self.pause(beats)
        passed = action()
        status: ToolStatus = "succeeded" if passed else "failed"
        say(ToolUse(tool=tool, id=call, input_summary=summary, status=status))
        self.pause(0.4)
        return passed


def quick(script: Script) -> None:
    """Mend the obvious half and say so."""
    script.read("slugs.py")
    script.tell("Punctuation goes: keep letters and digits, make everything else a space.")
    script.write("slugs.py", _QUICK)
    passed = script.test()
    write_report(
        status="success" if passed else "partial",
        summary="Punctuation is dropped; a title without letters still gives an empty slug.",
        changes=[{"path": "slugs.py", "action": "modified", "summary": "drop punctuation"}],
        commands_run=[{"command": "python -m unittest -q", "exit_code": int(not passed)}],
        next_steps=["Decide what a title without letters should become."],
    )


def careful(script: Script) -> None:
    """Read first, mend both halves, add a test, run everything."""
    script.think("The tests say what is wanted; read them before the code.")
    script.read("test_slugs.py")
    script.read("slugs.py")
    say(Progress(message="read the code and its tests", pct=25))
    script.test()
    script.think("Two defects: punctuation survives, and nothing left means an empty slug.")
    answer = script.ask(
        "May underscores separate words as well?", ("yes", "no"), 8 * script.pace_seconds
    )
    script.tell(f"Answer: {answer}." if answer else "No answer: underscores separate words.")
    script.write("slugs.py", _CAREFUL)
    tests = PROJECT["test_slugs.py"].replace("\n\nif __name__", f"{_MORE_TESTS}\n\nif __name__")
    script.write("test_slugs.py", tests)
    say(Progress(message="both defects mended, one test added", pct=75))
    passed = script.test()
    write_report(
        status="success" if passed else "failed",
        summary="Punctuation is dropped and a title without words becomes `untitled`; tests pass.",
        details="`slugify` collects the words of a title with one regular expression.",
        changes=[
            {"path": "slugs.py", "action": "modified", "summary": "collect words, else untitled"},
            {"path": "test_slugs.py", "action": "modified", "summary": "underscores and tabs"},
        ],
        commands_run=[{"command": "python -m unittest -q", "exit_code": int(not passed)}],
    )


def note(script: Script) -> None:
    """Leave a note where the demonstration project is not."""
    script.think("This is not the demonstration project: leave a note and change nothing else.")
    script.write("caesar-demo.md", "A scripted agent of caesar was here.\n")
    write_report(
        status="success",
        summary="Left a note in caesar-demo.md.",
        changes=[{"path": "caesar-demo.md", "action": "created", "summary": "the note"}],
    )


def main() -> int:
    """Play the script that the first argument names."""
    script = Script(float(os.environ.get(PACE, "0.5")))
    if not Path("slugs.py").is_file():
        note(script)
    elif sys.argv[1:2] == ["demo-quick"]:
        quick(script)
    else:
        careful(script)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
