"""The product's source, parsed once, for tests that look at how it is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Source:
    """One Python file; `name` is its path from the repository's top."""

    name: str
    text: str

    @property
    def tree(self) -> ast.Module:
        return _parsed(self.text)

    def uses(self) -> Iterator[tuple[int, str]]:
        """Yield the line and the dotted name of every name and attribute that is used."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name | ast.Attribute):
                yield node.lineno, dotted(node)

    def imports(self) -> Iterator[tuple[int, str]]:
        """Yield the line and the full name of everything that is imported, wherever it stands."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from ((node.lineno, f"{node.module}.{a.name}") for a in node.names)

    def texts(self) -> Iterator[tuple[int, str]]:
        """Yield the line and the value of every string that is not documentation."""
        documentation = {
            id(node.value) for node in ast.walk(self.tree) if isinstance(node, ast.Expr)
        }
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Constant) or id(node) in documentation:
                continue
            if isinstance(node.value, str):
                yield node.lineno, node.value


@cache
def sources(*folders: str) -> tuple[Source, ...]:
    """Return every Python file below the named top folders."""
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    assert found
    return tuple(Source(str(path.relative_to(ROOT)), path.read_text("utf-8")) for path in found)


def product() -> tuple[Source, ...]:
    """Return the files that are installed."""
    return sources("caesar_core", "caesar_tui")


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` for a name or a chain of attributes, `?` where it starts from a value."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)
