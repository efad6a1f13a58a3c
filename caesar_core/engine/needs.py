"""What a project needs in a fresh worktree, by the files that lie in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_SECRETS: Final = (".env", ".env.local")
# The first that is there says which tool the project uses.
_NODE: Final = (
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn install --frozen-lockfile"),
    ("package-lock.json", "npm ci"),
    ("package.json", "npm install --no-package-lock"),
)
_PIP: Final = "python3 -m venv .venv && .venv/bin/pip install --quiet"
_PYTHON: Final = (
    ("uv.lock", "uv sync"),
    ("poetry.lock", "poetry install"),
    ("requirements.txt", f"{_PIP} -r requirements.txt"),
    ("pyproject.toml", f"{_PIP} -e ."),
)


@dataclass(frozen=True, slots=True)
class Needs:
    """The `[worktree]` section that suits a project, and why."""

    copy: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.copy or self.link or self.setup)

    def values(self) -> dict[str, Any]:
        """Return the section's keys that have a value."""
        lists = {"copy": self.copy, "link": self.link, "setup": self.setup}
        return {key: list(value) for key, value in lists.items() if value}


def detect_needs(root: Path) -> Needs:
    """Return what a worktree of the project at `root` would lack.

    Dependencies are installed anew, not shared: an environment that is linked or copied runs the
    code of the tree that it was made for. A Rust `target` holds nothing of that kind.
    """
    copied = tuple(name for name in _SECRETS if (root / name).is_file())
    linked = ("target",) if (root / "Cargo.toml").is_file() else ()
    found = [
        (file, command)
        for table, folder in ((_NODE, "node_modules"), (_PYTHON, ".venv"))
        if (file := _first(root, table)) and (folder == "node_modules" or (root / folder).is_dir())
        for name, command in table
        if name == file
    ]
    reasons = [f"{name}: private settings that git ignores" for name in copied]
    reasons += [f"{name}: build results, from Cargo.toml" for name in linked]
    reasons += [f"`{command}`, from {file}" for file, command in found]
    setup = tuple(command for _, command in found)
    return Needs(copied, linked, setup, tuple(reasons))


def _first(root: Path, table: tuple[tuple[str, str], ...]) -> str | None:
    return next((name for name, _ in table if (root / name).is_file()), None)
