"""`gemini`: Google's Gemini CLI, by `gemini -o stream-json`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.agents.base import NO_CONTEXT, Capabilities, Invocation, Job, RunContext, TaskFile
from caesar_core.agents.gemini_stream import GeminiTranslator
from caesar_core.home import home_folder

_READING: Final = (
    "glob",
    "grep_search",
    "list_directory",
    "read_file",
    "read_many_files",
    "google_web_search",
    "web_fetch",
)
# The highest tier of its policies: it outweighs what the user's own allow without a question.
_READ_ONLY: Final = f"""\
[[rule]]
toolName = "*"
decision = "deny"
priority = 1

[[rule]]
toolName = {json.dumps(_READING)}
decision = "allow"
priority = 2
"""


@dataclass(frozen=True, slots=True)
class GeminiAgent:
    """Gemini CLI.

    Read-only: a policy of ours, above the user's, denies every tool that does not only read.
    Write: everything is approved, and nothing confines it to the workspace.
    """

    id: str = "gemini"
    display_name: str = "Gemini CLI"
    bin: str = "gemini"

    @property
    def capabilities(self) -> Capabilities:
        """What it can do.

        Its settings name MCP servers, and only an administrator can put settings elsewhere than
        in the user's files: nothing is injected.
        """
        return Capabilities(
            json_events=True,
            native_read_only=True,
            resume=True,
            add_dir=True,
            model=True,
            network="open",
        )

    def invoke(self, job: Job) -> Invocation:
        """Return the process; the brief comes by stdin."""
        policy = TaskFile(job.task_dir / "gemini-policy.toml", _READ_ONLY)
        options = ["-o", "stream-json", "--skip-trust"]
        if job.mode == "write":
            options += ["--approval-mode", "yolo"]
        else:
            options += ["--approval-mode", "default", "--admin-policy", str(policy.path)]
        if job.model:
            options += ["-m", job.model]
        for folder in (job.task_dir, *job.add_dirs):
            options += ["--include-directories", str(folder)]
        argv = (self.bin, *options, *_session(job), *job.extra)
        return Invocation(
            argv=argv,
            cwd=job.workspace,
            shown=" ".join(argv),
            stdin=job.brief_file,
            env={
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
                # Else a second process is started, only for its memory limit.
                "GEMINI_CLI_NO_RELAUNCH": "true",
            },
            files=() if job.mode == "write" else (policy,),
        )

    def translator(self, context: RunContext = NO_CONTEXT) -> GeminiTranslator:
        """Return a fresh translator."""
        return GeminiTranslator(context)


def _session(job: Job) -> list[str]:
    if job.resume:
        kept = _kept(job.resume)
        return ["--session-file", kept] if kept else ["--resume", job.resume]
    return ["--session-id", job.session_id] if job.session_id else []


def _kept(session_id: str) -> str:
    """Return the file of a session: by its id it is only found from the folder it began in."""
    home = Path(os.environ.get("GEMINI_CLI_HOME") or home_folder())
    found = home.glob(f".gemini/tmp/*/chats/session-*{session_id[:8]}.json*")
    latest = sorted(found, key=lambda path: path.name)
    return str(latest[-1]) if latest else ""
