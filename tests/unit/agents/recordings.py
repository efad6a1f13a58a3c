"""The recorded streams of the real CLIs, and what their translations have to look like.

`tests/data/streams/NAME.jsonl` holds the stdout of one run, `NAME.err` its stderr and `NAME.rc`
its exit code; NAME starts with the agent's id. `tests/data/golden/NAME.events.jsonl` holds one
event a line and, in the last line, what the translator knows at the end.

`python -m tests.unit.agents.recordings --write` makes the golden files anew;
`… --take FOLDER PREFIX…` takes recordings in, without the paths of the machine they come from.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from caesar_core.agents.base import RunContext, Translator
from caesar_core.agents.registry import builtin_agents
from caesar_core.protocol.event import EventBody
from caesar_core.protocol.wire import body_keys

DATA: Final = Path(__file__).parents[2] / "data"
STREAMS: Final = DATA / "streams"
GOLDEN: Final = DATA / "golden"
WORKSPACE: Final = Path("/home/dev/project")
_IDS: Final = {"agy": "antigravity"}
_SCRUB: Final = (
    (re.compile(r"/home/dev/src/[A-Za-z0-9_.-]+"), str(WORKSPACE)),
    (re.compile(r"/home/dev/agents/homes/[a-z]+"), "/home/dev"),
    (re.compile(r"/home/dev/agents/(?:cli|venv)/"), "/opt/"),
    (re.compile(r"/home/dev/agents/"), "/opt/"),
    (re.compile(r"/tmp/"), "/var/tmp/"),
    (re.compile(r"\broot root\b"), "dev dev"),
)


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded run."""

    name: str

    @property
    def agent_id(self) -> str:
        prefix = self.name.partition("-")[0]
        return _IDS.get(prefix, prefix)

    @property
    def lines(self) -> list[str]:
        return self._read("jsonl").split("\n")

    @property
    def stderr(self) -> str:
        return self._read("err")

    @property
    def exit_code(self) -> int | None:
        """The exit code as the supervisor knows it: none when a signal ended the process."""
        code = int(self._read("rc") or 0)
        return code if code >= 0 else None

    @property
    def golden(self) -> Path:
        return GOLDEN / f"{self.name}.events.jsonl"

    def _read(self, suffix: str) -> str:
        path = STREAMS / f"{self.name}.{suffix}"
        return path.read_text(encoding="utf-8") if path.exists() else ""


def recordings(*agent_ids: str) -> list[Recording]:
    """Return the recordings, of all agents or of some."""
    found = [Recording(path.stem) for path in sorted(STREAMS.glob("*.jsonl"))]
    return [one for one in found if not agent_ids or one.agent_id in agent_ids]


def new_translator(agent_id: str, context: RunContext | None = None) -> Translator:
    """Return a fresh translator of an agent, for the workspace of the recordings."""
    agent = next(agent for agent in builtin_agents() if agent.id == agent_id)
    return agent.translator(context or RunContext(workspace=WORKSPACE))


def play(
    recording: Recording, context: RunContext | None = None
) -> tuple[list[EventBody], Translator]:
    """Return the events of a whole run and its translator as it is at the end."""
    translator = new_translator(recording.agent_id, context)
    bodies = [body for line in recording.lines for body in translator.feed(line)]
    for line in recording.stderr.splitlines():
        bodies += translator.feed_stderr(line)
    bodies += translator.finish(recording.exit_code, recording.stderr)
    return bodies, translator


def golden_text(recording: Recording) -> str:
    """Return what the golden file of a recording has to hold."""
    bodies, translator = play(recording)
    lines = [_line({"type": body.kind, **body_keys(body)}) for body in bodies]
    return "\n".join([*lines, _line({"end": _end(translator)})]) + "\n"


def _end(translator: Translator) -> dict[str, Any]:
    failure = translator.failure
    return {
        "final_text": translator.final_text,
        "session_id": translator.session_id,
        "usage": None if translator.usage is None else asdict(translator.usage),
        "denials": [asdict(denial) for denial in translator.denials],
        "failure": None
        if failure is None
        else {"message": failure.message, "reason": failure.reason},
        "unknown_lines": translator.unknown_lines,
        "gives_up": translator.gives_up,
    }


def _line(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False)


def scrub(text: str) -> str:
    """Return a recording without the paths of the machine it was made on."""
    for pattern, replacement in _SCRUB:
        text = pattern.sub(replacement, text)
    return text


def take(folder: Path, *prefixes: str) -> None:
    """Take the recordings of a folder in whose names start with one of the prefixes."""
    for path in sorted(folder.glob("*.jsonl")):
        if not path.name.startswith(prefixes):
            continue
        target = STREAMS / path.name
        target.write_text(scrub(path.read_text(encoding="utf-8")), encoding="utf-8")
        errors = path.with_suffix(".err")
        said = scrub(errors.read_text(encoding="utf-8")) if errors.exists() else ""
        if said:
            target.with_suffix(".err").write_text(said, encoding="utf-8")
        code = path.with_suffix(".rc")
        if code.exists():
            value = json.loads(code.read_text(encoding="utf-8"))
            exit_code = value["rc"] if isinstance(value, dict) else value
            target.with_suffix(".rc").write_text(f"{exit_code}\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Write golden files or take recordings in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", nargs="*", metavar="AGENT")
    parser.add_argument("--take", nargs="+", metavar=("FOLDER", "PREFIX"))
    options = parser.parse_args(arguments)
    if options.take:
        take(Path(options.take[0]), *options.take[1:])
    if options.write is not None:
        for recording in recordings(*options.write):
            recording.golden.write_text(golden_text(recording), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
