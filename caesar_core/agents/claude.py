"""`claude`: Anthropic's Claude Code, by `claude -p --output-format stream-json`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.agents.base import NO_CONTEXT, Capabilities, Invocation, Job, RunContext, TaskFile
from caesar_core.agents.binary import native_program
from caesar_core.agents.claude_stream import ClaudeTranslator
from caesar_core.home import home_folder

_BINARY: Final = "@anthropic-ai/claude-code-{platform}/claude"
_CHANNEL_RULE: Final = "mcp__caesar"
# Tools that cannot write; what is not in this list does not exist for the agent.
_READING: Final = ("Read", "Glob", "Grep", "WebFetch", "WebSearch")
# Edits need no rule: the mode accepts them inside the workspace and the added directories.
_UNATTENDED: Final = ("Bash", *_READING)
_RETRIES: Final = "5"


@dataclass(frozen=True, slots=True)
class ClaudeAgent:
    """Claude Code.

    Read-only: it gets reading tools only, no shell, and no MCP server but the return channel.
    Write: edits are accepted inside the workspace and the added directories, commands run without
    a question (so it can reach more than that); everything else is denied and reported.
    """

    id: str = "claude"
    display_name: str = "Claude Code"
    bin: str = "claude"

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        return Capabilities(
            json_events=True,
            output_schema=True,
            native_read_only=True,
            resume=True,
            add_dir=True,
            mcp_injection="flag",
            model=True,
            network="open",
            stop_signal="SIGINT",
        )

    def invoke(self, job: Job) -> Invocation:
        """Return the process; the brief comes by stdin, the list of servers as a file."""
        servers = job.task_dir / "claude-mcp.json"
        options = [*_options(job), *_session(job)]
        if job.channel is not None:
            options += ["--mcp-config", str(servers)]
        if job.mode == "read-only":
            options.append("--strict-mcp-config")
        shown = ["claude", *options, *job.extra]
        schema = ["--json-schema", _plain(job.schema)] if job.schema else []
        return Invocation(
            argv=(native_program(self.bin, _BINARY), *options, *schema, *job.extra),
            cwd=job.workspace,
            shown=" ".join(shown),
            stdin=job.brief_file,
            env=_environment(job),
            files=(TaskFile(servers, _servers(job)),) if job.channel else (),
        )

    def translator(self, context: RunContext = NO_CONTEXT) -> ClaudeTranslator:
        """Return a fresh translator."""
        return ClaudeTranslator(context)


def _options(job: Job) -> list[str]:
    options = ["-p", "--output-format", "stream-json", "--verbose"]
    rules = [_CHANNEL_RULE] if job.channel else []
    if job.mode == "write":
        options += ["--permission-mode", "acceptEdits"]
        options += ["--allowedTools", ",".join((*_UNATTENDED, *rules))]
    else:
        options += ["--permission-mode", "dontAsk", "--tools", ",".join(_READING)]
        options += ["--allowedTools", ",".join((*_READING, *rules))]
    for folder in (job.task_dir, *job.add_dirs):
        options += ["--add-dir", str(folder)]
    return [*options, *(["--model", job.model] if job.model else [])]


def _session(job: Job) -> list[str]:
    if job.resume:
        return ["--resume", _transcript(job.resume) or job.resume]
    return ["--session-id", job.session_id] if job.session_id else []


def _transcript(session_id: str) -> str:
    """Return the file of a session: by its id it is only found from the folder it began in."""
    home = os.environ.get("CLAUDE_CONFIG_DIR") or str(home_folder() / ".claude")
    found = sorted(Path(home).glob(f"projects/*/{session_id}.jsonl"))
    return str(found[0]) if found else ""


def _environment(job: Job) -> dict[str, str]:
    env = {
        "CLAUDE_CODE_MAX_RETRIES": os.environ.get("CLAUDE_CODE_MAX_RETRIES") or _RETRIES,
        "DISABLE_AUTOUPDATER": "1",
        # Set where Claude Code itself delegates; with it the program takes itself for nested.
        "CLAUDECODE": "",
    }
    # Else the channel's tools are hidden behind a search that the agent has to think of.
    return {**env, "ENABLE_TOOL_SEARCH": "false"} if job.channel else env


def _plain(schema: str) -> str:
    """Return a schema without the name of its dialect, which Claude Code would want to look up."""
    document = json.loads(schema)
    document.pop("$schema", None)
    return json.dumps(document, separators=(",", ":"))


def _servers(job: Job) -> str:
    assert job.channel is not None
    command, *arguments = job.channel.argv
    server = {"type": "stdio", "command": command, "args": arguments, "env": job.channel.env}
    return json.dumps({"mcpServers": {"caesar": server}}, indent=2)
