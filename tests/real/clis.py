"""Which CLIs are driven, at which versions, and how each is told to ask the scripted model."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_SCRIPTED: Final = "scripted"


def _cache() -> Path:
    """Return the folder that the CLIs are installed in."""
    chosen = os.environ.get("CAESAR_REAL_CACHE")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "caesar-real"


# Once: tests run with a home of their own.
CACHE: Final = _cache()


@dataclass(frozen=True, slots=True)
class Cli:
    """One CLI from npm.

    Attributes:
        id: the agent that drives it.
        prepare: writes what it needs into a home folder for a base URL; returns its environment.
        exit_codes: its stream tells how a shell command exited.
        schema: its last message can be held to a schema.
        channel: it takes the return channel as an MCP server.
    """

    id: str
    package: str
    version: str
    bin: str
    prepare: Callable[[Path, str], dict[str, str]]
    exit_codes: bool = True
    schema: bool = False
    channel: bool = True

    @property
    def folder(self) -> Path:
        """Where it is installed."""
        return CACHE / f"{self.id}-{self.version}"

    @property
    def bin_folder(self) -> Path:
        """What goes on PATH."""
        return self.folder / "node_modules" / ".bin"

    @property
    def is_installed(self) -> bool:
        """Whether it can be run."""
        return (self.bin_folder / self.bin).exists()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _codex(home: Path, url: str) -> dict[str, str]:
    _write(
        home / ".codex" / "config.toml",
        f"""
model = "gpt-5.5"
model_provider = "{_SCRIPTED}"

[model_providers.{_SCRIPTED}]
name = "Scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 1
stream_idle_timeout_ms = 20000
""",
    )
    return {"SCRIPTED_KEY": "scripted-key-0123456789"}


def _claude(home: Path, url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-scripted-0123456789",
        "ANTHROPIC_MODEL": "claude-sonnet-4-5",
        "CLAUDE_CODE_MAX_RETRIES": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _opencode(home: Path, url: str) -> dict[str, str]:
    model = {
        "name": "Scripted",
        "limit": {"context": 100_000, "output": 8_000},
        "cost": {"input": 1, "output": 2},
    }
    provider: dict[str, Any] = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": f"{url}/v1", "apiKey": "scripted-key-0123456789"},
        "models": {"model": model},
    }
    name = f"{_SCRIPTED}/model"
    document = {
        "model": name,
        "small_model": name,
        "enabled_providers": [_SCRIPTED],
        "provider": {_SCRIPTED: provider},
    }
    _write(home / ".config" / "opencode" / "opencode.json", json.dumps(document))
    return {
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }


def _copilot(home: Path, url: str) -> dict[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        # It blacks its key out wherever it occurs, so a short one garbles the stream.
        "COPILOT_PROVIDER_API_KEY": "scripted-key-0123456789",
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_OFFLINE": "true",
        # Its loader unpacks itself there; once for all runs is enough.
        "XDG_CACHE_HOME": str(CACHE / "copilot-unpacked"),
    }


def _gemini(home: Path, url: str) -> dict[str, str]:
    settings = {
        "general": {"disableAutoUpdate": True, "maxAttempts": 2},
        "privacy": {"usageStatisticsEnabled": False},
        "security": {
            "auth": {"selectedType": "gemini-api-key"},
            "folderTrust": {"enabled": False},
        },
        "model": {"name": "gemini-2.5-pro"},
    }
    _write(home / ".gemini" / "settings.json", json.dumps(settings))
    return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "scripted-key-0123456789"}


CLIS: Final = (
    Cli("codex", "@openai/codex", "0.169.0", "codex", _codex, schema=True),
    Cli("claude", "@anthropic-ai/claude-code", "2.1.328", "claude", _claude, schema=True),
    Cli("opencode", "opencode-ai", "1.18.33", "opencode", _opencode),
    Cli("copilot", "@github/copilot", "1.0.102", "copilot", _copilot),
    Cli("gemini", "@google/gemini-cli", "0.61.0", "gemini", _gemini, exit_codes=False),
)
