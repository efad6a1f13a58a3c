"""`caesar init`: what a project, or a person, gets to begin with; nothing of theirs is changed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caesar_core.agents.registry import catalogue
from caesar_core.config.edit import ConfigDocument
from caesar_core.config.settings import DEFAULT_ROLES, Config
from caesar_core.config.values import effective_values, shown_value
from caesar_core.engine.assets import RUNTIMES, Deposit, deposit
from caesar_core.engine.configure.layer_file import edit_layer, layer_path, write_layer
from caesar_core.engine.needs import Needs, detect_needs
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError
from caesar_core.home import known_home
from caesar_core.repo.discover import find_repository, unusable_reason
from caesar_core.store.atomic import write_atomic

_MATERIAL: Final = Path(__file__).parent / "material" / "roles"
_GLOBAL_HEAD: Final = """\
# Your settings, in every project. What stands here in comments is what holds anyway.
"""


@dataclass(frozen=True, slots=True)
class Initialized:
    """What was done for a project.

    Attributes:
        needs: what was detected; `None` when a configuration was there and was left alone.
        roles: the prompts, each with whether this call wrote it.
        ignored: our ignore file and the lines it gained; `None` outside of git.
        refreshed: it had been done before.
    """

    root: Path
    config: Path
    needs: Needs | None
    roles: tuple[tuple[Path, bool], ...]
    ignored: tuple[Path, tuple[str, ...]] | None
    refreshed: bool
    warnings: tuple[str, ...]
    assets: Deposit | None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form (docs/commands.md, `init`)."""
        ignored = self.ignored
        return {
            "root": str(self.root),
            "config_path": str(self.config),
            "roles_dir": str(self.roles[0][0].parent),
            "role_files": [str(path) for path, written in self.roles if written],
            "gitignore": None
            if ignored is None
            else {"path": str(ignored[0]), "added": list(ignored[1])},
            "worktree": self.needs.values() if self.needs else None,
            "refreshed": self.refreshed,
            "warnings": list(self.warnings),
            "assets": self.assets.to_json() if self.assets else None,
        }


def initialize(
    project: Project, *, runtimes: Sequence[str] | None, force: bool = False, skills: bool = True
) -> Initialized:
    """Make a project ready: settings it needs, role prompts, ignore rules, skills.

    Args:
        runtimes: whose skills to write; `None`: of those that are installed.
        force: write settings and prompts anew.

    Raises:
        CaesarError: an unknown runtime, a file that cannot be edited or written.
    """
    chosen = _runtimes(project, runtimes)
    layout = project.layout
    refreshed = layout.config.exists() or layout.roles.is_dir()
    reason = unusable_reason(project.root, find_repository(project.root))
    warnings = () if reason is None else (f"{reason[0]} {reason[1]}",)
    ignored = _ignore(project, outside=reason is not None)
    needs = detect_needs(project.root) if force or not layout.config.exists() else None
    if needs:
        values = needs.values()
        edit_layer(project, "project", lambda document: _furnish(document, values))
    roles = tuple(
        _write_prompt(layout.root, layout.roles / f"{r.name}.md", force=force)
        for r in DEFAULT_ROLES
    )
    assets = deposit(project.root, chosen) if skills else None
    return Initialized(
        root=project.root,
        config=layout.config,
        needs=needs,
        roles=roles,
        ignored=ignored,
        refreshed=refreshed,
        warnings=(*warnings, *(assets.warnings if assets else ())),
        assets=assets,
    )


def initialize_global(
    project: Project, *, runtimes: Sequence[str] | None, force: bool = False, skills: bool = True
) -> dict[str, Any]:
    """Write every setting with its default into the person's own file, as comments.

    Raises:
        CaesarError: an unknown runtime, a file that cannot be written.
    """
    chosen = _runtimes(project, runtimes)
    path = layer_path(project, "global")
    refreshed = path.exists()
    if force or not refreshed:
        write_layer(project, "global", default_text())
    assets = deposit(known_home(), chosen, permissions=False) if skills else None
    return {
        "scope": "global",
        "config_path": str(path),
        "refreshed": refreshed,
        "assets": assets.to_json() if assets else None,
    }


def default_text() -> str:
    """Return a configuration file with every setting of a section as a comment."""
    lines, section = [_GLOBAL_HEAD], ""
    for value in effective_values(Config()):
        name, _, key = value.path.partition(".")
        if name == "role":
            break
        if name != section:
            lines.append(f"\n[{name}]\n")
            section = name
        document = ConfigDocument("", "")
        document.set(("v", key), shown_value(value.path, value.value))
        lines.append(f"# {document.text().partition(chr(10))[2]}")
    return "".join(lines)


def _runtimes(project: Project, asked: Sequence[str] | None) -> tuple[str, ...]:
    for name in asked or ():
        if name not in RUNTIMES:
            raise CaesarError(f"There is no runtime {name!r}.", f"Known: {', '.join(RUNTIMES)}.")
    if asked:
        return tuple(asked)
    known = catalogue()
    found = tuple(name for name in RUNTIMES if project.is_installed(known[name].bin))
    # The shared skill serves whatever comes later.
    return found or ("codex",)


def _furnish(document: ConfigDocument, values: dict[str, Any]) -> None:
    for key, value in values.items():
        document.set(("worktree", key), value)


def _write_prompt(root: Path, path: Path, *, force: bool) -> tuple[Path, bool]:
    if not path.resolve().is_relative_to(root.resolve()):
        raise CaesarError(
            f"{path} leads out of the project.", "Nothing is written through a link: remove it."
        )
    written = force or not os.path.lexists(path)
    if written:
        write_atomic(path, (_MATERIAL / path.name).read_bytes())
    return path, written


def _ignore(project: Project, *, outside: bool) -> tuple[Path, tuple[str, ...]] | None:
    path = project.layout.ignore_file
    before = path.exists()
    project.ignore_own_files(None)
    if outside and not (project.root / ".git").exists():
        return None
    lines = path.read_text("utf-8").splitlines() if not before else []
    return path, tuple(line for line in lines if not line.startswith("#"))
