"""`codex`: OpenAI's Codex CLI, by `codex exec --json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from caesar_core.agents.base import NO_CONTEXT, Capabilities, Invocation, Job, RunContext
from caesar_core.agents.binary import native_program
from caesar_core.agents.codex_stream import CodexTranslator

_BINARY: Final = "@openai/codex-{platform}/vendor/*/bin/codex"
_SERVER_START_S: Final = 30
_TOOL_CALL_S: Final = 330  # a question waits for five minutes


@dataclass(frozen=True, slots=True)
class CodexAgent:
    """Codex CLI: the only one with a sandbox of the operating system for its commands.

    Read-only: nothing can be written. Write: the workspace, the task directory and the
    directories that were added; not `.git`. Network: only in write mode, and only when asked for.
    """

    id: str = "codex"
    display_name: str = "Codex CLI"
    bin: str = "codex"

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        return Capabilities(
            json_events=True,
            output_schema=True,
            strict_schema=True,
            native_read_only=True,
            resume=True,
            add_dir=True,
            mcp_injection="flag",
            model=True,
            network="write-only",
            stop_signal="SIGINT",
        )

    def invoke(self, job: Job) -> Invocation:
        """Return the process; the brief comes by stdin."""
        subcommand = ("exec", "resume") if job.resume else ("exec",)
        options = [*_options(job), *_channel(job)]
        session = (job.resume,) if job.resume else ()
        argv = ("codex", *subcommand, *options, *session, "-", *job.extra)
        program = native_program(self.bin, _BINARY)
        return Invocation(
            argv=(program, *argv[1:]),
            cwd=job.workspace,
            shown=" ".join(argv),
            stdin=job.brief_file,
        )

    def translator(self, context: RunContext = NO_CONTEXT) -> CodexTranslator:
        """Return a fresh translator."""
        return CodexTranslator(context)


def _options(job: Job) -> list[str]:
    writes = job.mode == "write"
    sandbox = "workspace-write" if writes else "read-only"
    options = ["--json", "--skip-git-repo-check", *_set("sandbox_mode", sandbox)]
    # Said either way: the user's own configuration may have it on.
    options += _set("sandbox_workspace_write.network_access", writes and job.network)
    if not job.network:
        options += _set("web_search", "disabled")
    if writes:
        reachable = [str(job.task_dir), *map(str, job.add_dirs)]
        options += _set("sandbox_workspace_write.writable_roots", reachable)
    if job.model:
        options += ["-m", job.model]
    if job.schema_file:
        options += ["--output-schema", str(job.schema_file)]
    return options


def _channel(job: Job) -> list[str]:
    """Return the options for the return channel: there from the first request on, unasked."""
    if job.channel is None:
        return []
    server = "mcp_servers.caesar"
    # Codex starts its servers with hardly any environment, so the marker has to be given.
    env = {"CAESAR_TASK_ID": job.task_id, **job.channel.env}
    return [
        *_set(f"{server}.command", job.channel.argv[0]),
        *_set(f"{server}.args", list(job.channel.argv[1:])),
        *(part for name, value in env.items() for part in _set(f"{server}.env.{name}", value)),
        *_set(f"{server}.required", value=True),
        *_set(f"{server}.startup_timeout_sec", _SERVER_START_S),
        *_set(f"{server}.tool_timeout_sec", _TOOL_CALL_S),
        *_set(f"{server}.default_tools_approval_mode", "approve"),
    ]


def _set(key: str, value: str | bool | int | list[str]) -> list[str]:
    # A JSON string without escaped surrogates is a TOML basic string but for DEL.
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return ["-c", f"{key}={text}"]
