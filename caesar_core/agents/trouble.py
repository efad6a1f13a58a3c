"""Why a model or its provider refused: a CLI's words as one of the reasons of the protocol."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from caesar_core.clock import iso
from caesar_core.protocol.event import Error, Reason
from caesar_core.text import clip

_LONGEST: Final = 2_000
_EPOCH_BEGAN: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STATUS: Final = re.compile(
    r"(?:\bstatus(?:\s+code)?:?|\bAPI Error:?|\bHTTP|\bcode\"?:?|\berror:?|\bgot)"
    r"\s*[\"']?\(?([45]\d\d)\b",
    re.IGNORECASE,
)
_EPOCH: Final = re.compile(r"\|\s*(1[6-9]\d{8}|[2-4]\d{9})\b")
_QUOTA: Final = (
    r"insufficient.quota|quota|usage.?limit|out of (?:credits|tokens)|credit balance"
    r"|billing|payment required|spend(?:ing)? limit|monthly limit"
)
_AUTH: Final = (
    r"unauthori[sz]ed|\b(?:invalid|incorrect|missing|bad|no)\b.{0,20}\bapi.?key"
    r"|api.?key.{0,30}(?:invalid|missing|not valid|not found)|not (?:logged|signed) in"
    r"|(?:please|must).{0,30}(?:log ?in|sign ?in|/login)|authenticat|invalid auth"
    r"|auth method|missing environment variable|oauth|credentials|forbidden"
    r"|token (?:has )?expired|GEMINI_API_KEY"
)
_NETWORK: Final = (
    r"\beconn\w+|etimedout|enotfound|eai_again|epipe|socket hang up|fetch failed"
    r"|connection (?:refused|reset|closed|error|timed out)|unable to connect|dns error"
    r"|network|stream (?:disconnected|closed|ended)|disconnected before|error sending request"
    r"|premature close|incomplete (?:json|chunk)|unterminated|timed out|terminated"
)
# In the order in which they decide: a used-up quota often comes as 429, a bad key as 400.
_WORDS: Final[tuple[tuple[Reason, str], ...]] = (
    ("quota", _QUOTA),
    ("auth", _AUTH),
    ("rate_limit", r"rate.?limit|too many requests|resource.?exhausted"),
    ("network", _NETWORK),
    ("model_error", r"overloaded|high demand|server.?error|internal error|unavailable|model"),
)
_BY_STATUS: Final[dict[int, Reason]] = {
    401: "auth",
    402: "quota",
    403: "auth",
    407: "network",
    408: "network",
    429: "rate_limit",
}


def reason_of(message: str, status: int | None = None) -> Reason:
    """Return the reason behind a provider's refusal; `other` when the words do not tell.

    Args:
        message: what the CLI said.
        status: the HTTP status, when the stream has it apart from the words.
    """
    status = status or _status_in(message)
    said = _said(message[:_LONGEST])
    if status is None:
        return said or "other"
    known = _BY_STATUS.get(status)
    if said == "quota" and status in {400, 402, 403, 429}:
        return "quota"
    if known is not None:
        return known
    return "auth" if said == "auth" and status < 500 else "model_error"


def trouble(
    message: str,
    *,
    fatal: bool,
    status: int | None = None,
    reason: Reason | None = None,
    retry_at: str | None = None,
) -> Error:
    """Return an error event with its reason and, where the words say it, the time to try again."""
    told = clip(" ".join(message[: _LONGEST * 2].split()), _LONGEST) or "The agent named no cause."
    return Error(
        message=told,
        fatal=fatal,
        reason=reason or reason_of(message, status),
        retry_at=retry_at or _retry_at(message),
    )


def iso_of_epoch(seconds: float | None) -> str | None:
    """Return a moment given in seconds (or milliseconds) since 1970 as ISO 8601 text."""
    if seconds is None or not 0 < seconds < 1e14:
        return None
    since = timedelta(seconds=seconds / 1000 if seconds > 1e11 else seconds)
    return iso(_EPOCH_BEGAN + since)


def _said(message: str) -> Reason | None:
    words = ((reason, re.search(pattern, message, re.IGNORECASE)) for reason, pattern in _WORDS)
    return next((reason for reason, found in words if found), None)


def _status_in(message: str) -> int | None:
    found = _STATUS.search(message[:_LONGEST])
    return int(found[1]) if found else None


def _retry_at(message: str) -> str | None:
    found = _EPOCH.search(message[:_LONGEST])
    return iso_of_epoch(float(found[1])) if found else None
