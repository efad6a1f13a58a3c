"""Paths as a project sees them and as its repository does; pure."""

from __future__ import annotations

from pathlib import Path, PurePosixPath


def from_project(path: str, prefix: str) -> str:
    """Return a repository path as seen from the project's folder `prefix` in it."""
    if not prefix:
        return path
    inside = path.removeprefix(f"{prefix}/")
    return inside if inside != path else "../" * (prefix.count("/") + 1) + path


def in_repository(path: str, prefix: str, top: Path | None = None) -> str:
    """Return a path given from the project's folder as the repository names it.

    An absolute one that lies below `top`, the top of the repository, is named from there.
    """
    if top is not None and PurePosixPath(path).is_absolute():
        if not PurePosixPath(path).is_relative_to(top.as_posix()):
            return path
        path, prefix = PurePosixPath(path).relative_to(top.as_posix()).as_posix(), ""
    parts: list[str] = []
    for part in PurePosixPath(prefix, path).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
