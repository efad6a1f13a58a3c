"""What every wire format has in common: the tools a request offers, and the answer to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

Json: TypeAlias = dict[str, Any]
SseEvent: TypeAlias = tuple[str | None, Json | str]
"""The event's name, where the format has names, and its data."""


SEARCH: Final = "tool_search"
"""The tool that finds those which a CLI does not put into its requests at first."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool that a request offers.

    Attributes:
        kind: `function`, or `custom` for one that takes free text.
        namespace: what Responses wants back in the call for tools that came in a namespace.
    """

    name: str
    kind: str = "function"
    schema: Mapping[str, Any] | None = None
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the scripted model; `text` instead of `arguments` for custom tools."""

    id: str
    name: str
    arguments: Json
    text: str | None = None
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer; a `broken` one ends in the middle, without saying that it ends."""

    id: str
    text: str = ""
    think: str = ""
    calls: Sequence[Call] = ()
    broken: bool = False


class Wire(Protocol):
    """One wire format."""

    def offered(self, body: Json) -> list[Offered]:
        """Return the tools that the request offers."""
        ...

    def rounds(self, body: Json) -> int:
        """Return how many rounds of tool results follow the last words of a person."""
        ...

    def wanted_schema(self, body: Json) -> Json | None:
        """Return the schema that the last message is held to."""
        ...

    def events(self, turn: Turn, body: Json) -> Iterator[SseEvent]:
        """Return the answer as a stream."""
        ...

    def document(self, turn: Turn, body: Json) -> Json:
        """Return the answer as one document."""
        ...

    def error(self, code: int, message: str) -> Json:
        """Return the body of an HTTP error."""
        ...


def pieces(text: str, size: int = 24) -> Iterator[str]:
    """Return a text in the portions that a stream brings it in."""
    return (text[start : start + size] for start in range(0, len(text), size))
