"""One layer's file: read, changed, checked, written in one step, and trusted as we wrote it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from caesar_core.config.edit import ConfigDocument
from caesar_core.config.layers import effective
from caesar_core.config.read import ConfigError, parse_config, parse_toml, read_config_text
from caesar_core.config.settings import DeclaredAgent, RepositoryCommand
from caesar_core.engine.project import Project, declared_agent
from caesar_core.engine.trust import agree_to_written, trust_file
from caesar_core.errors import CaesarError
from caesar_core.store.atomic import write_atomic
from caesar_core.store.lock import file_lock

Scope: TypeAlias = Literal["global", "project", "local"]
SCOPES: tuple[Scope, ...] = ("global", "project", "local")
Done = TypeVar("Done")


def layer_path(project: Project, scope: Scope) -> Path:
    """Return where the file of a layer lies."""
    path = project.file_of(scope)
    assert path is not None
    return path


def layer_document(project: Project, scope: Scope) -> ConfigDocument:
    """Return a layer's file as it stands; empty when there is none.

    Raises:
        ConfigError: it is not TOML, or not readable.
    """
    path = layer_path(project, scope)
    return _document(path, _text(path))


def edit_layer(project: Project, scope: Scope, *changes: Callable[[ConfigDocument], Done]) -> Done:
    """Change a layer's file; of several changes the first that makes a valid file is made.

    Returns:
        What the change returned.

    Raises:
        ConfigError: the file cannot be read as it is, or would not be valid; nothing was written.
        CaesarError: whatever a change refused.
        StoreError, LockBusyError: it cannot be written, or somebody else is at it.
    """
    path = _real_path(project, scope)
    with file_lock(_lock(project, scope), clock=project.clock):
        text = _text(path)
        parse_toml(str(path), text)
        written, done = _first_valid(path, text, changes)
        if written != text:
            write_layer(project, scope, written)
    return done


def write_layer(project: Project, scope: Scope, text: str) -> None:
    """Write a layer's whole file, which the caller has checked; its lock is held.

    Raises:
        StoreError: it cannot be written.
    """
    path = _real_path(project, scope)
    before = commands_now(project)
    if scope != "global":
        project.ignore_own_files(None)
    write_atomic(path, text.encode("utf-8"), mode=_mode(path))
    project.forget_configuration()
    note_written(project, before)


def commands_now(project: Project) -> tuple[RepositoryCommand, ...] | None:
    """Return what the project's files bring, for `note_written`; `None`: they are not valid."""
    # Where the files cannot be read nobody can tell what is new in them.
    with suppress(CaesarError):
        return project.config.repository_commands
    return None


def note_written(project: Project, before: tuple[RepositoryCommand, ...] | None) -> None:
    """Trust what is new in the project's files against `before`: the person wrote it, with us."""
    now = commands_now(project)
    if before is not None and now is not None:
        agree_to_written(project.root, before, now)


def _first_valid(
    path: Path, text: str, changes: tuple[Callable[[ConfigDocument], Done], ...]
) -> tuple[str, Done]:
    failures: list[CaesarError] = []
    for change in changes:
        document = _document(path, text)
        done = change(document)
        written = document.text()
        try:
            check_text(str(path), written)
        except CaesarError as error:
            failures.append(error)
        else:
            return written, done
    # Of a text, a TOML value and a list: the one that was of the right kind says the most.
    of_the_kind = (f for f in failures if not (isinstance(f, ConfigError) and f.wrong_kind))
    failure = next(of_the_kind, failures[0])
    hint = f"{failure.hint} Nothing was written.".strip()
    raise CaesarError(failure.message, hint, code=failure.code)


def check_text(where: str, text: str) -> None:
    """Make sure that a file may say this.

    Raises:
        ConfigError: it may not.
        BadAgentError: it declares an agent that cannot work.
    """
    for entry in parse_config(where, text).agent or ():
        declared_agent(effective(DeclaredAgent, entry), where, text)


def _document(path: Path, text: str) -> ConfigDocument:
    parse_toml(str(path), text)
    return ConfigDocument(text, str(path))


def _text(path: Path) -> str:
    return read_config_text(path) if os.path.lexists(path) else ""


def _real_path(project: Project, scope: Scope) -> Path:
    """Return the file that is written: a person may keep it elsewhere behind a link."""
    path = layer_path(project, scope)
    real = path.resolve()
    if scope != "global" and not real.is_relative_to(project.root.resolve()):
        raise ConfigError(
            f"{path} leads out of the project, to {real}.", "Replace the link by a file."
        )
    return real


def _lock(project: Project, scope: Scope) -> Path:
    if scope == "global":
        return trust_file(os.environ).with_name("config.lock")
    return project.layout.config_lock


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None
