"""What git is told in every call, so that nothing planted in a repository is run. Pure."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

_SETTINGS: Final[Mapping[str, str]] = {
    "advice.addEmbeddedRepo": "false",
    "color.ui": "false",
    "core.askPass": "",
    "core.checkStat": "default",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.quotePath": "true",
    "core.safecrlf": "false",
    "core.splitIndex": "false",
    "core.trustctime": "true",
    "core.untrackedCache": "false",
    "credential.helper": "",
    "diff.external": "",
    "diff.ignoreSubmodules": "none",
    "diff.mnemonicPrefix": "false",
    "diff.noprefix": "false",
    "diff.orderFile": os.devnull,
    "diff.suppressBlankEmpty": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "merge.directoryRenames": "false",
    "merge.renormalize": "false",
    "merge.renames": "true",
    "protocol.ext.allow": "never",
    "submodule.recurse": "false",
}
_ENVIRONMENT: Final[Mapping[str, str]] = {
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LANGUAGE": "C",
    "LC_ALL": "C",
}
# Keys of git's configuration whose value is a program, or another file of configuration.
_RUNS_PROGRAMS: Final = re.compile(
    r"^(core\.(fsmonitor|hookspath|sshcommand|askpass|editor|pager|gitproxy|alternaterefscommand)"
    r"|filter\..*|alias\..*|credential\.(.*\.)?helper|diff\.(external|.*\.(command|textconv))"
    r"|merge\..*\.driver|(diff|merge)tool\..*\.cmd|pager\..*|sequence\.editor"
    r"|gpg\.(.*\.)?program|include\.path|includeif\..*\.path)$"
)
_DROPPED: Final = frozenset({"SSH_ASKPASS", "PAGER"})
# Everything else may read files of the work tree, and so run filters: even `write-tree` does, when
# an entry of the index is as young as the index itself.
RUNS_NO_FILTER: Final = frozenset(
    {
        "cat-file",
        "check-ignore",
        "commit-tree",
        "config",
        "diff-tree",
        "for-each-ref",
        "ls-files",
        "ls-tree",
        "rev-parse",
        "update-ref",
    }
)
_TEXT_MERGE: Final = "git merge-file --quiet --marker-size=%L %A %O %B || exit 1"


def hardened_environment(
    inherited: Mapping[str, str], settings: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment of a git process.

    Args:
        inherited: our own; its `GIT_*` variables and whatever asks for passwords are left out.
        settings: git settings on top of the ones that every call gets.

    """
    kept = {
        name: value
        for name, value in inherited.items()
        if not name.startswith("GIT_") and name not in _DROPPED
    }
    return {**kept, **_ENVIRONMENT, **_as_variables({**_SETTINGS, **settings})}


def plain_merges(drivers: Sequence[str]) -> dict[str, str]:
    """Return settings that replace these merge drivers by git's own text merge."""
    return dict.fromkeys(drivers, _TEXT_MERGE)


def _as_variables(settings: Mapping[str, str]) -> dict[str, str]:
    # Variables instead of `-c`: a filter's name may contain `=`, which `-c` cannot express.
    pairs = dict(_numbered(settings))
    return {"GIT_CONFIG_COUNT": str(len(settings)), **pairs}


def _numbered(settings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for number, (key, value) in enumerate(settings.items()):
        yield f"GIT_CONFIG_KEY_{number}", key
        yield f"GIT_CONFIG_VALUE_{number}", value


def blank_filters(present: Sequence[str], known: frozenset[str]) -> dict[str, str]:
    """Return settings that switch off every filter which is not exactly as it is known."""
    changed = {_driver(entry) for entry in present if entry not in known}
    return {
        f"filter.{name}.{part}": value
        for name in changed
        for part, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
    }


def runs_program(key: str) -> bool:
    """Whether a configuration key, as git lists it, names a program or more configuration."""
    return _RUNS_PROGRAMS.search(key) is not None


def _driver(entry: str) -> str:
    key = entry.partition("\n")[0]
    return key.removeprefix("filter.").rpartition(".")[0]
