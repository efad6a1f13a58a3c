"""`gemini`: Google's Gemini CLI, by `gemini -o stream-json`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caesar_core.agents.base import NO_CONTEXT, Capabilities, Invocation, Job, RunContext, TaskFile
from caesar_core.agents.gemini_stream import GeminiTranslator

_SYSTEM: Final = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"
_DEFAULTS: Final = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"
_ELSEWHERE: Final = ("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA")
_ATTEMPTS: Final = 4
# Also where the user's own settings allow them without a question.
_WRITING: Final = ("run_shell_command", "write_file", "replace", "edit", "save_memory")


@dataclass(frozen=True, slots=True)
class GeminiAgent:
    """Gemini CLI.

    Read-only: nothing that would need an approval is offered to the model. Write: everything is
    approved, and nothing confines it to the workspace. Settings of ours go into files of the task
    that the CLI reads as the system's; the user's own are not touched.
    """

    id: str = "gemini"
    display_name: str = "Gemini CLI"
    bin: str = "gemini"

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        return Capabilities(
            json_events=True,
            native_read_only=True,
            resume=True,
            add_dir=True,
            mcp_injection="flag",
            model=True,
            network="open",
        )

    def invoke(self, job: Job) -> Invocation:
        """Return the process; the brief comes by stdin, the settings as two files."""
        system = job.task_dir / "gemini-settings.json"
        defaults = job.task_dir / "gemini-defaults.json"
        options = ["-o", "stream-json", "--skip-trust"]
        options += ["--approval-mode", "yolo" if job.mode == "write" else "default"]
        if job.model:
            options += ["-m", job.model]
        for folder in (job.task_dir, *job.add_dirs):
            options += ["--include-directories", str(folder)]
        if job.resume:
            options += ["--resume", job.resume]
        elif job.session_id:
            options += ["--session-id", job.session_id]
        argv = (self.bin, *options, *job.extra)
        return Invocation(
            argv=argv,
            cwd=job.workspace,
            shown=" ".join(argv),
            stdin=job.brief_file,
            env={
                _SYSTEM: str(system),
                _DEFAULTS: str(defaults),
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
                # Else a second process is started, only for its memory limit.
                "GEMINI_CLI_NO_RELAUNCH": "true",
            },
            files=(
                TaskFile(system, _json(_merged(_existing(_SYSTEM), _overrides(job)))),
                TaskFile(defaults, _json(_merged(_default_settings(), _existing(_DEFAULTS)))),
            ),
        )

    def translator(self, context: RunContext = NO_CONTEXT) -> GeminiTranslator:
        """Return a fresh translator."""
        return GeminiTranslator(context)


def _overrides(job: Job) -> dict[str, Any]:
    """Return what holds whatever the user's settings say."""
    settings: dict[str, Any] = {"general": {"disableAutoUpdate": True, "enableAutoUpdate": False}}
    if job.mode != "write":
        settings["tools"] = {"exclude": list(_WRITING)}
        settings["mcp"] = {"allowed": ["caesar"]}
    if job.channel is not None:
        command, *arguments = job.channel.argv
        env = {"CAESAR_TASK_ID": job.task_id, **job.channel.env}
        server = {"command": command, "args": arguments, "env": env, "trust": True}
        settings["mcpServers"] = {"caesar": server}
    return settings


def _default_settings() -> dict[str, Any]:
    """Return what holds where the user's settings say nothing."""
    settings: dict[str, Any] = {"general": {"maxAttempts": _ATTEMPTS}}
    if os.environ.get("GEMINI_API_KEY") and not any(map(os.environ.get, _ELSEWHERE)):
        # A key alone is not taken as the choice of a way to sign in.
        settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    return settings


def _existing(variable: str) -> dict[str, Any]:
    """Return the settings that an administrator put there, which ours would hide."""
    name = "settings" if variable == _SYSTEM else "system-defaults"
    path = Path(os.environ.get(variable) or f"/etc/gemini-cli/{name}.json")
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        known = merged.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            merged[key] = _merged(known, value)
        else:
            merged[key] = value
    return merged


def _json(settings: dict[str, Any]) -> str:
    return json.dumps(settings, indent=2)
