"""Whether a known CLI seems to be logged in, by what lies around; nothing is read or sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

State: TypeAlias = Literal["found", "none", "unknown", "unneeded"]


@dataclass(frozen=True, slots=True)
class Login:
    """What was seen.

    Attributes:
        state: `found` says that a credential is there, not that it is valid.
        evidence: the variable or the file.
    """

    state: State
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class _Traces:
    variables: tuple[str, ...]
    files: tuple[str, ...]
    home_variable: str = ""


# Files are below the home, or below the folder that the variable names.
_TRACES: Final = {
    "codex": _Traces(("CODEX_API_KEY", "OPENAI_API_KEY"), (".codex/auth.json",), "CODEX_HOME"),
    "claude": _Traces(
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        (".claude/.credentials.json",),
        "CLAUDE_CONFIG_DIR",
    ),
    "opencode": _Traces((), (".local/share/opencode/auth.json",)),
    "copilot": _Traces(
        ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"), ()
    ),
    "gemini": _Traces(("GEMINI_API_KEY", "GOOGLE_API_KEY"), (".gemini/oauth_creds.json",)),
}


_WAYS: Final = {
    "codex": "codex login",
    "claude": "claude auth login",
    "opencode": "opencode auth login",
    "copilot": "copilot login",
    "gemini": "gemini",
    "antigravity": "agy",
}


def way_in(agent: str) -> str:
    """Return the command that a person logs a known CLI in with; empty for other agents."""
    return _WAYS.get(agent, "")


def login_of(agent: str, environment: Mapping[str, str], home: Path) -> Login:
    """Return what speaks for a login of a known CLI; `unknown` where nothing cheap would tell.

    A keychain is not looked into: there `none` means only that nothing else was found.
    """
    traces = _TRACES.get(agent)
    if traces is None:
        return Login("unknown")
    for name in traces.variables:
        if environment.get(name):
            return Login("found", f"${name}")
    for file in traces.files:
        path = home / file
        moved = environment.get(traces.home_variable) if traces.home_variable else None
        if moved:
            path = Path(moved) / Path(file).name
        if path.is_file():
            return Login("found", str(path))
    return Login("unknown" if agent == "copilot" else "none")
