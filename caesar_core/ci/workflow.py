"""Keeping a stranger's text from being a command to the service that reads our output.

GitHub's runner obeys a line that begins with `::`, blanks aside, and `##[…]` anywhere in one;
Azure and TeamCity obey `##vso[…]` and `##teamcity[…]`.
"""

from __future__ import annotations

import re
from typing import Final

_LINE: Final = re.compile(r"^([^\S\n]*)::", re.MULTILINE)
_ANYWHERE: Final = re.compile(r"##(\w*)\[")


def without_commands(text: str) -> str:
    """Return text for people in which no service finds a command."""
    if "::" in text:
        text = _LINE.sub(r"\1\\::", text)
    return _ANYWHERE.sub(r"##\1\\[", text) if "##" in text else text
