"""What the embedded agents share: Python programs of ours that speak on stdout.

An event is one line, `{"caesar": {"type": …}}`; everything else on stdout is plain output.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from caesar_core.agents.base import BaseTranslator, Invocation, Job
from caesar_core.protocol.event import EventBody, Unknown
from caesar_core.protocol.versions import REPORT_V1
from caesar_core.protocol.wire import BadEventError, body_keys, decode_body

_PREFIX: Final = '{"caesar":'
_EVENT_LINE: Final = re.compile(rf"^{re.escape(_PREFIX)}[^\r\n]*(?:\r?\n)?", re.MULTILINE)


class EmbeddedTranslator(BaseTranslator):
    """Reads the event lines of our own programs."""

    def feed(self, line: str) -> Sequence[EventBody]:
        """Return the event of one line, nothing for plain output."""
        # Not at the start when a command's own output ended without a newline.
        start = line.rfind(_PREFIX)
        if start < 0:
            return ()
        try:
            keys = json.loads(line[start:])["caesar"]
            body = decode_body(keys["type"], keys)
        except (ValueError, KeyError, TypeError, BadEventError):
            return ()
        return () if isinstance(body, Unknown) else (body,)


def without_events(text: str) -> str:
    """Return what a program of ours printed besides its event lines."""
    return _EVENT_LINE.sub("", text)


def invoke_module(module: str, arguments: Sequence[str], job: Job, shown: str) -> Invocation:
    """Return the process that runs one of our modules, safe from files of the workspace."""
    # -P: the workspace is a stranger's; a json.py in it must not be imported.
    argv = (sys.executable, "-P", "-m", module, *arguments, *job.extra)
    return Invocation(argv=argv, cwd=job.workspace, shown=shown)


def say(body: EventBody) -> None:
    """Print one event line."""
    keys = {"type": body.kind, **body_keys(body)}
    print(json.dumps({"caesar": keys}, separators=(",", ":")), flush=True)  # noqa: T201


def read_task() -> dict[str, Any]:
    """Return `task.json`."""
    document: dict[str, Any] = json.loads(Path(os.environ["CAESAR_TASK_FILE"]).read_bytes())
    return document


def write_report(**keys: Any) -> None:
    """Write the report where the orchestrator looks for it, in one rename."""
    target = Path(os.environ["CAESAR_REPORT_PATH"])
    document = {
        "protocol": REPORT_V1,
        "task_id": os.environ.get("CAESAR_TASK_ID"),
        **keys,
    }
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    draft.write_bytes(json.dumps(document, indent=2).encode("utf-8", "replace"))
    draft.replace(target)
