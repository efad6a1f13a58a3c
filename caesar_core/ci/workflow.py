"""Keeping a stranger's text from being a command to the service that reads our output.

GitHub's runner obeys a line that begins with `::`, blanks aside, and `##[…]` anywhere in one;
Azure and TeamCity obey `##vso[…]` and `##teamcity[…]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_SERVICES: Final = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
_LINE: Final = re.compile(r"^([^\S\n]*)::", re.MULTILINE)
_ANYWHERE: Final = re.compile(r"##(\w*)\[")


def obeys_output(environment: Mapping[str, str]) -> bool:
    """Whether a service reads our output that takes commands from it."""
    return any(environment.get(name) for name in _SERVICES)


def without_commands(text: str) -> str:
    """Return text for people in which no service finds a command."""
    if "::" in text:
        text = _LINE.sub(r"\1\\::", text)
    return _ANYWHERE.sub(r"##\1\\[", text) if "##" in text else text


def json_without_commands(data: bytes) -> bytes:
    """Return the same JSON, written so that no service finds a command in it.

    A number sign stands in strings only, where it may be written as an escape.
    """
    return data.replace(b"##", b"#\\u0023")
