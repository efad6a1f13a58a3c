"""The versions of the standard, and their refusal (specification, "Versioning")."""

from __future__ import annotations

from typing import Final

from caesar_core.errors import CaesarError

TASK_V1: Final = "caesar.task/v1"
REPORT_V1: Final = "caesar.report/v1"
EVENT_V1: Final = "caesar.event/v1"
PROTOCOL_VERSION: Final = "v1"


class UnknownVersionError(CaesarError, ValueError):
    """A document declares a version that this reader does not know."""

    code = "unknown_version"


def check_version(found: object, expected: str) -> None:
    """Accept exactly `expected`.

    Raises:
        UnknownVersionError: naming what was found, so that nothing is interpreted by guess.

    """
    if found == expected:
        return
    shown = repr(found)[:80] if found is not None else "nothing"
    raise UnknownVersionError(
        f"The document declares {shown}, this version of caesar reads {expected}.",
        "Write a document of the version that is read, or upgrade caesar.",
    )
