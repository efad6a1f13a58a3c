"""`gemini`: Google's Gemini CLI, by `gemini -o stream-json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from caesar_core.agents.base import (
    NO_CONTEXT,
    Capabilities,
    Invocation,
    Job,
    Mirror,
    RunContext,
    TaskFile,
)
from caesar_core.agents.gemini_home import (
    HOME,
    SERVER,
    BadSettingsError,
    private_home,
    private_settings,
    user_home,
    user_settings,
)
from caesar_core.agents.gemini_stream import GeminiTranslator

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
_CHANNEL: Final = f"""
[[rule]]
mcpName = "{SERVER}"
decision = "allow"
priority = 3
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
        """What it can do; servers stand in its settings, so it depends on those of the user."""
        trouble = _trouble()
        return Capabilities(
            json_events=True,
            native_read_only=True,
            resume=True,
            add_dir=True,
            mcp_injection="none" if trouble else "flag",
            not_injected=trouble,
            model=True,
            network="open",
        )

    def invoke(self, job: Job) -> Invocation:
        """Return the process; the brief comes by stdin."""
        rules = _READ_ONLY + (_CHANNEL if job.channel else "")
        policy = TaskFile(job.task_dir / "gemini-policy.toml", rules)
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
        env, files, mirrors = _home(job)
        return Invocation(
            argv=argv,
            cwd=job.workspace,
            shown=" ".join(argv),
            stdin=job.brief_file,
            env={
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
                # Else a second process is started, only for its memory limit.
                "GEMINI_CLI_NO_RELAUNCH": "true",
                **env,
            },
            files=files if job.mode == "write" else (policy, *files),
            mirrors=mirrors,
        )

    def translator(self, context: RunContext = NO_CONTEXT) -> GeminiTranslator:
        """Return a fresh translator."""
        return GeminiTranslator(context)


def _trouble() -> str:
    """Return why the user's settings cannot be added to; empty when they can."""
    try:
        user_settings()
    except BadSettingsError as error:
        return str(error)
    return ""


def _home(job: Job) -> tuple[dict[str, str], tuple[TaskFile, ...], tuple[Mirror, ...]]:
    """Return what gives a run settings of ours; nothing where the user's cannot be read."""
    if job.private_dir is None:
        return {}, (), ()
    try:
        settings = private_settings(user_settings(), job.channel)
    except BadSettingsError:
        return {}, (), ()
    file, mirrors = private_home(job.private_dir, settings)
    return {HOME: str(job.private_dir)}, (file,), mirrors


def _session(job: Job) -> list[str]:
    if job.resume:
        kept = _kept(job.resume)
        return ["--session-file", kept] if kept else ["--resume", job.resume]
    return ["--session-id", job.session_id] if job.session_id else []


def _kept(session_id: str) -> str:
    """Return the file of a session: by its id it is only found from the folder it began in."""
    found = user_home().glob(f".gemini/tmp/*/chats/session-*{session_id[:8]}.json*")
    latest = sorted(found, key=lambda path: path.name)
    return str(latest[-1]) if latest else ""
