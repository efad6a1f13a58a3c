"""Messages that are reports: people read their summary, not their JSON. Pure."""

from __future__ import annotations

import json
import re
from typing import Final

_FENCE: Final = re.compile(
    r"```(?:json)?[ \t]*(?:caesar:report)?[ \t]*\n?\s*(\{.*\})\s*```\s*$", re.DOTALL
)


def report_summary(text: str) -> str | None:
    """Return the `summary` of a message that is a JSON report, `None` for any other message."""
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")):
        return None
    try:
        document = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    summary = document.get("summary")
    return summary if isinstance(summary, str) else None


def spoken(text: str) -> str:
    """Return a message for a reader: a report at its end gives way to its summary."""
    whole = report_summary(text)
    if whole is not None:
        return whole
    found = _FENCE.search(text) if "caesar.report/v" in text else None
    summary = report_summary(found[1]) if found else None
    if found is None or summary is None:
        return text
    return f"{text[: found.start()].rstrip()}\n{summary}".lstrip()
