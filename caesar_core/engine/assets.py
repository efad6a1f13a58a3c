"""What a main agent is given so that it knows how to delegate: a skill and slash commands.

The texts are package data. A file that somebody edited is kept; ours end with a line that says so.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from caesar_core.engine.json_file import BadJsonFileError, JsonFile
from caesar_core.errors import CaesarError
from caesar_core.store.atomic import write_atomic

Kind: TypeAlias = Literal["skill", "command", "permissions"]
Action: TypeAlias = Literal["created", "updated", "unchanged", "kept", "by hand"]
RUNTIMES: Final = ("claude", "codex", "copilot", "opencode", "gemini", "antigravity")
COMMANDS: Final = ("delegate", "fanout", "race", "review", "tasks")
READING_TOOLS: Final = ("await", "diff", "list_agents", "list_roles", "logs", "status")
_MATERIAL: Final = Path(__file__).parent / "material"
_SIGNED: Final = re.compile(rb"\n<!-- written by caesar ([0-9a-f]{16}) -->\n\Z")
_ALLOWED: Final = tuple(f"mcp__caesar__caesar_{tool}" for tool in READING_TOOLS)


@dataclass(frozen=True, slots=True)
class Asset:
    """One file and what was done about it.

    Attributes:
        kind: `skill`, `command`, or `permissions` for the reading tools that need no question.
        id: the file's name within its kind, such as `caesar` or `caesar-race`.
        action: `kept` when it is not as we wrote it: somebody made it their own; `by hand` for
            settings that cannot be changed safely.
    """

    kind: Kind
    id: str
    path: Path
    action: Action


@dataclass(frozen=True, slots=True)
class Deposit:
    """What `deposit` did.

    Attributes:
        targets: the runtimes that were served.
        stale: files of ours that this version no longer brings; they are left alone.
        warnings: what a person has to add by hand, and why.
    """

    targets: tuple[str, ...]
    files: tuple[Asset, ...] = ()
    stale: tuple[Path, ...] = field(default=())
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form (docs/commands.md, `init`)."""
        files = [
            {"kind": a.kind, "id": a.id, "path": str(a.path), "action": a.action}
            for a in self.files
        ]
        stale = [str(path) for path in self.stale]
        return {"targets": list(self.targets), "files": files, "stale": stale}


def deposit(root: Path, runtimes: Iterable[str], *, permissions: bool = True) -> Deposit:
    """Put skill and commands where the runtimes look for them, below `root`.

    Args:
        root: the project, or the person's home for all projects.
        runtimes: names out of `RUNTIMES`.
        permissions: let Claude Code use the reading tools without a question, in this project.

    Raises:
        CaesarError: an unknown runtime.
        StoreError: a file cannot be written.
    """
    wanted = tuple(dict.fromkeys(runtimes))
    for name in wanted:
        if name not in RUNTIMES:
            raise CaesarError(f"There is no runtime {name!r}.", f"Known: {', '.join(RUNTIMES)}.")
    places = list(_places(root, wanted))
    settings = root / ".claude" / "settings.json"
    for path in (*(place[2] for place in places), settings):
        _stay_inside(root, path)
    warnings: tuple[str, ...] = ()
    files = [
        Asset(kind, name, path, _put(path, (_MATERIAL / source).read_bytes()))
        for kind, name, path, source in places
    ]
    if permissions and "claude" in wanted:
        action, warnings = _allow_if_plain(settings)
        files.append(Asset("permissions", "caesar", settings, action))
    return Deposit(wanted, tuple(files), _stale({path for _, _, path, _ in places}), warnings)


def _places(root: Path, runtimes: tuple[str, ...]) -> Iterator[tuple[Kind, str, Path, str]]:
    """Yield kind, id, path and the source of every file."""
    if "claude" in runtimes:
        yield "skill", "caesar", root / ".claude" / "skills" / "caesar" / "SKILL.md", "SKILL.md"
        yield from _commands(root / ".claude" / "commands")
    if set(runtimes) - {"claude"}:
        yield "skill", "caesar", root / ".agents" / "skills" / "caesar" / "SKILL.md", "SKILL.md"
    if "opencode" in runtimes:
        yield from _commands(root / ".opencode" / "commands")


def _commands(folder: Path) -> Iterator[tuple[Kind, str, Path, str]]:
    for name in COMMANDS:
        file = f"caesar-{name}.md"
        yield "command", f"caesar-{name}", folder / file, f"commands/{file}"


def _stay_inside(root: Path, path: Path) -> None:
    """Refuse a link that a repository laid to make us write elsewhere."""
    if not path.resolve().is_relative_to(root.resolve()):
        raise CaesarError(
            f"{path} leads out of {root}: {path.resolve()}.", "Nothing is written through a link."
        )


def _put(path: Path, text: bytes) -> Action:
    signed = text + b"\n<!-- written by caesar %s -->\n" % _digest(text)
    try:
        there = _read(path)
    except FileNotFoundError:
        write_atomic(path, signed)
        return "created"
    except OSError as error:
        raise CaesarError(f"{path} cannot be read: {error.strerror}.") from None
    if there == signed:
        return "unchanged"
    if not _is_ours(there):
        return "kept"
    write_atomic(path, signed)
    return "updated"


def _read(path: Path) -> bytes:
    """Return a file's text; git may have given its lines the ends of another system."""
    return path.read_bytes().replace(b"\r\n", b"\n")


def _is_ours(data: bytes) -> bool:
    """Whether a file is as some version of caesar wrote it."""
    found = _SIGNED.search(data)
    return found is not None and found[1] == _digest(data[: found.start()])


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest()[:16].encode("ascii")


def _allow_if_plain(path: Path) -> tuple[Action, tuple[str, ...]]:
    """Add the reading tools, or say what to add to a file that has comments or the like."""
    try:
        return _allow(path), ()
    except BadJsonFileError as error:
        entries = ", ".join(f'"{tool}"' for tool in _ALLOWED)
        advice = "To use the reading tools without a question, add to permissions.allow by hand"
        return "by hand", (f"{error.message} {advice}: {entries}.",)


def _allow(path: Path) -> Action:
    """Add the reading tools to `permissions.allow`, keeping everything else."""
    file = JsonFile.load(path)
    allowed = file.table("permissions").setdefault("allow", [])
    if not isinstance(allowed, list):
        raise BadJsonFileError(f"{path}: permissions.allow is not a list.", "Mend the file.")
    missing = [tool for tool in _ALLOWED if tool not in allowed]
    if not missing:
        return "unchanged"
    allowed.extend(missing)
    file.save()
    return "updated" if file.existed else "created"


def _stale(known: set[Path]) -> tuple[Path, ...]:
    """Return what an older version deposited beside the files of this one."""
    folders = {path.parent for path in known}
    found = (path for folder in folders for path in folder.glob("caesar-*.md"))
    return tuple(sorted(path for path in found if path not in known and _is_ours_at(path)))


def _is_ours_at(path: Path) -> bool:
    try:
        return _is_ours(_read(path))
    except OSError:
        return False
