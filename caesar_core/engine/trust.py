"""Consent to the commands that a repository brings along, as with direnv and mise.

A repository's configuration can name programs, setup commands and variables. None of them is used
before the person agreed to exactly these; a change asks again. What is trusted lies under the
person's XDG state folder, by path and digest.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.clock import SystemClock
from caesar_core.config.settings import Config, RepositoryCommand
from caesar_core.errors import CaesarError
from caesar_core.store.atomic import StoreError, read_bounded, write_atomic
from caesar_core.store.lock import file_lock

_LIMIT: Final = 4 << 20
_SHOWN: Final = 6
VARIABLE: Final = "CAESAR_TRUST"


class UntrustedError(CaesarError):
    """The repository brings commands that nobody agreed to yet.

    Attributes:
        review: what they are and what is new about them.
    """

    code = "untrusted"

    def __init__(self, review: Review) -> None:
        fresh = [command.text for command in review.fresh]
        shown = "; ".join(fresh[:_SHOWN]) + (" …" if len(fresh) > _SHOWN else "")
        super().__init__(
            f"{review.root} brings commands that you have not agreed to: {shown}",
            "Look at them and agree with `caesar trust`, or --trust, or CAESAR_TRUST=1.",
        )
        self.review = review


@dataclass(frozen=True, slots=True)
class Review:
    """What a repository wants to run, against what was agreed to.

    Attributes:
        commands: all of it.
        fresh: what is new or different.
        gone: what was agreed to and is no longer there.
        known: whether anything was ever agreed to here.
    """

    root: Path
    commands: tuple[RepositoryCommand, ...]
    fresh: tuple[RepositoryCommand, ...]
    gone: tuple[str, ...]
    known: bool

    @property
    def is_trusted(self) -> bool:
        """Whether nothing is left to agree to."""
        return not self.fresh


def review(root: Path, config: Config, environment: Mapping[str, str] = os.environ) -> Review:
    """Compare what the repository's configuration brings with what was agreed to."""
    agreed = _load(environment).get(str(root), {})
    now = {command.path: _digest(command) for command in config.repository_commands}
    return Review(
        root=root,
        commands=config.repository_commands,
        fresh=tuple(c for c in config.repository_commands if agreed.get(c.path) != now[c.path]),
        gone=tuple(sorted(set(agreed) - set(now))),
        known=bool(agreed),
    )


def require(root: Path, config: Config, environment: Mapping[str, str] = os.environ) -> None:
    """Make sure that the repository's commands may be used.

    Raises:
        UntrustedError: somebody has to agree first.
    """
    if not config.repository_commands or environment.get(VARIABLE) == "1":
        return
    found = review(root, config, environment)
    if not found.is_trusted:
        raise UntrustedError(found)


def agree(root: Path, config: Config, environment: Mapping[str, str] = os.environ) -> None:
    """Agree to what the repository's configuration brings now.

    Raises:
        LockBusyError, StoreError: it cannot be written down.
    """
    commands = {command.path: _digest(command) for command in config.repository_commands}
    with _locked(environment):
        _save(environment, {**_load(environment), str(root): commands})


def agree_to_written(
    root: Path,
    before: Sequence[RepositoryCommand],
    after: Sequence[RepositoryCommand],
    environment: Mapping[str, str] = os.environ,
) -> None:
    """Agree to what a command of ours has just written, and to nothing that was there before.

    What was agreed to stays so when it moved to another place in its list.

    Raises:
        LockBusyError, StoreError: it cannot be written down.
    """
    there = {command.text for command in before}
    with _locked(environment):
        everything = _load(environment)
        agreed = everything.get(str(root), {})
        known = set(agreed.values())
        now = {c.path: _digest(c) for c in after if c.text not in there or _digest(c) in known}
        if now != agreed:
            _save(environment, {**everything, str(root): now})


def revoke(root: Path, environment: Mapping[str, str] = os.environ) -> bool:
    """Take the agreement back; whether there was one.

    Raises:
        LockBusyError, StoreError: it cannot be written down.
    """
    with _locked(environment):
        agreed = _load(environment)
        there = agreed.pop(str(root), None) is not None
        if there:
            _save(environment, agreed)
    return there


def trust_file(environment: Mapping[str, str]) -> Path:
    """Return where agreements lie: under `$XDG_STATE_HOME`, else `~/.local/state`."""
    base = Path(environment.get("XDG_STATE_HOME") or "")
    if not base.is_absolute():
        home = Path(environment.get("HOME") or "")
        base = (home if home.is_absolute() else Path("/")) / ".local" / "state"
    return base / "caesar" / "trust.json"


def _locked(environment: Mapping[str, str]) -> AbstractContextManager[None]:
    """Keep another `caesar trust` from losing what this one writes."""
    return file_lock(trust_file(environment).with_suffix(".lock"), clock=SystemClock())


def _load(environment: Mapping[str, str]) -> dict[str, dict[str, str]]:
    try:
        document = json.loads(read_bounded(trust_file(environment), _LIMIT))
    except (FileNotFoundError, StoreError, ValueError, RecursionError):
        return {}
    if not isinstance(document, dict):
        return {}
    return {root: known for root, known in document.items() if isinstance(known, dict)}


def _save(environment: Mapping[str, str], agreed: Mapping[str, Mapping[str, str]]) -> None:
    data = json.dumps(agreed, indent=2, sort_keys=True).encode("ascii")
    write_atomic(trust_file(environment), data + b"\n")


def _digest(command: RepositoryCommand) -> str:
    return hashlib.sha256(command.text.encode("utf-8", "surrogateescape")).hexdigest()
