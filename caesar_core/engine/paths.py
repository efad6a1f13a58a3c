"""Paths as a project sees them and as its repository does; pure."""

from __future__ import annotations

from pathlib import PurePosixPath


def from_project(path: str, prefix: str) -> str:
    """Return a repository path as seen from the project's folder `prefix` in it."""
    if not prefix:
        return path
    inside = path.removeprefix(f"{prefix}/")
    return inside if inside != path else "../" * (prefix.count("/") + 1) + path


def in_repository(path: str, prefix: str) -> str:
    """Return a path given from the project's folder as the repository names it."""
    parts: list[str] = []
    for part in PurePosixPath(prefix, path).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
