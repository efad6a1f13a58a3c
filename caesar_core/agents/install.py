"""How to get the CLIs that are known here, for whoever is told that one is missing."""

from __future__ import annotations

from typing import Final

INSTALL_COMMANDS: Final = {
    "codex": "npm install -g @openai/codex",
    "claude": "npm install -g @anthropic-ai/claude-code",
    "opencode": "npm install -g opencode-ai",
    "copilot": "npm install -g @github/copilot",
    "gemini": "npm install -g @google/gemini-cli",
}
# Its vendor ships an installer instead of a package.
_BY_HAND: Final = {"agy": "Antigravity's CLI comes from https://antigravity.google"}


def install_hint(binary: str) -> str:
    """Return what to do about a program that was not found."""
    if binary in INSTALL_COMMANDS:
        return f"`{INSTALL_COMMANDS[binary]}` installs it."
    if binary in _BY_HAND:
        return f"{_BY_HAND[binary]}."
    if "/" in binary:
        return f"Is {binary} there and executable?"
    return f"Put {binary} on PATH."
