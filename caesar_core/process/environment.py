"""The environment of an agent, and keeping its secrets out of what is written (pure)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

REDACTED: Final = "•••".encode()
_LEAST_SECRET: Final = 8
_DROPPED: Final = ("GIT_*", "CAESAR_*")
_SECRET_WORDS: Final = frozenset(
    (
        *("APIKEY", "KEY", "KEYS", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PAT", "BEARER"),
        *("PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "CREDENTIAL", "CREDENTIALS"),
        *("AUTHORIZATION", "COOKIE"),
    )
)
_PLACE_WORDS: Final = frozenset(("FILE", "PATH", "DIR", "SOCK", "HELPER", "ID"))


@dataclass(frozen=True, slots=True)
class EnvironmentRules:
    """The `[environment]` table.

    Attributes:
        deny: globs of variables that an agent does not get.
        allow: globs of exceptions: from `deny` and from the `GIT_*` that are always taken out
            (`pass` in the file).
        set: variables that it gets in any case.

    """

    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    set: Mapping[str, str] = field(default_factory=dict, hash=False)


def agent_environment(
    parent: Mapping[str, str], caesar: Mapping[str, str], rules: EnvironmentRules | None = None
) -> dict[str, str]:
    """Return the environment for an agent.

    `GIT_*` would make its git work in another repository than its worktree, and the `CAESAR_*` of
    an outer task would make it report there: neither is inherited. `caesar` has the last word.
    """
    rules = rules or EnvironmentRules()
    kept = {name: value for name, value in parent.items() if _is_kept(name, rules)}
    return {**kept, **rules.set, **caesar}


def _is_kept(name: str, rules: EnvironmentRules) -> bool:
    if _matches(name, ("CAESAR_*",)):
        return False
    return _matches(name, rules.allow) or not _matches(name, (*_DROPPED, *rules.deny))


def _matches(name: str, globs: Iterable[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


def looks_secret(name: str) -> bool:
    """Whether a variable's name says that its value is a secret (`OPENAI_API_KEY`, `NPM_TOKEN`)."""
    words = re.split(r"[^A-Z0-9]+", name.upper())
    return not _SECRET_WORDS.isdisjoint(words) and words[-1] not in _PLACE_WORDS


def redactor(environment: Mapping[str, str]) -> Redactor:
    """Return what removes the secrets of `environment` from a stream."""
    secrets = [value for name, value in environment.items() if looks_secret(name)]
    return Redactor(secrets)


class Redactor:
    """Replaces exact values by `•••` in a stream of bytes, wherever the stream is split.

    Values shorter than 8 characters are left: they would be found in innocent words. A value is
    found as it is and as JSON writes it inside a string.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _forms(secret)}
        self._secrets = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self._pattern = re.compile(b"|".join(map(re.escape, self._secrets)))
        self._longest = max(map(len, self._secrets), default=0)
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return what can be written now; a possible beginning of a secret is held back."""
        if not self._secrets:
            return data
        text = self._held + data
        done: list[bytes] = []
        position = 0
        held = self._earliest_beginning(text, position)
        while True:
            if held < position:
                held = self._earliest_beginning(text, position)
            match = self._pattern.search(text, position)
            if match is None or held <= match.start():
                break
            done += (text[position : match.start()], REDACTED)
            position = match.end()
        done.append(text[position:held])
        self._held = text[held:]
        return b"".join(done)

    def flush(self) -> bytes:
        """Return what was held back; the stream is over."""
        rest, self._held = self._held, b""
        return self._pattern.sub(REDACTED, rest) if self._secrets else rest

    def redact(self, data: bytes) -> bytes:
        """Return all of `data` without secrets, apart from the stream."""
        return self._pattern.sub(REDACTED, data) if self._secrets else data

    def redact_text(self, text: str) -> str:
        """Return all of `text` without secrets, apart from the stream."""
        if not self._secrets:
            return text
        data = self.redact(text.encode("utf-8", "surrogatepass"))
        return data.decode("utf-8", "surrogatepass")

    def _earliest_beginning(self, text: bytes, position: int) -> int:
        """Return where the earliest unfinished secret begins, else the end of `text`."""
        earliest = len(text)
        for secret in self._secrets:
            at = max(position, len(text) - len(secret) + 1)
            while (at := text.find(secret[:1], at, earliest)) >= 0:
                if secret.startswith(text[at:]):
                    earliest = at
                    break
                at += 1
        return earliest


def _forms(secret: str) -> set[bytes]:
    if len(secret) < _LEAST_SECRET:
        return set()
    texts = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    return {text.encode("utf-8", "surrogateescape") for text in texts}
