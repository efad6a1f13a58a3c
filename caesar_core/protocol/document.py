"""What every document of the standard has in common: frozen, null-tolerant, strictly typed."""

from __future__ import annotations

import json
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from caesar_core.errors import CaesarError
from caesar_core.protocol.strictjson import BadJsonError, strict_json
from caesar_core.protocol.versions import check_version

Json = TypeVar("Json")


class InvalidDocumentError(CaesarError, ValueError):
    """A document that does not satisfy its model; the message names the fields."""

    code = "invalid_document"


class Part(BaseModel):
    """A piece of a document: frozen, extra keys dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False)


class Document(Part):
    """A whole document with a `protocol` key."""

    version: ClassVar[str]

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read a document from foreign bytes.

        Raises:
            InvalidDocumentError: not strict JSON, or not of this model.
            UnknownVersionError: it declares another version.
        """
        try:
            document = strict_json(data)
        except BadJsonError as error:
            raise InvalidDocumentError(f"Not a {cls.version}: {error}.") from None
        return cls.from_json(document)

    @classmethod
    def from_json(cls, document: object) -> Self:
        """Read a document from parsed JSON; explicit nulls read as absent (not inside arrays).

        Raises:
            InvalidDocumentError: not of this model; the message lists at most five fields.
            UnknownVersionError: it declares another version.
        """
        if not isinstance(document, dict):
            raise InvalidDocumentError(f"A {cls.version} document is a JSON object.")
        check_version(document.get("protocol"), cls.version)
        try:
            # Through JSON text: pydantic's strict mode takes arrays for tuples only there.
            return cls.model_validate_json(json.dumps(without_nulls(document)))
        except ValidationError as error:
            raise InvalidDocumentError(f"Not a {cls.version}: {_fields(error)}.") from None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON, absent optional keys left out."""
        return self.model_dump(mode="json", exclude_none=True)

    def to_bytes(self) -> bytes:
        """Return indented JSON as it stands in a file."""
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=2)
        return text.encode("utf-8", "replace") + b"\n"


def without_nulls(value: Json) -> Json:
    """Return `value` with null-valued keys dropped at every depth; array elements are kept."""
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}  # type: ignore[return-value]
    if isinstance(value, list):
        return [without_nulls(item) for item in value]  # type: ignore[return-value]
    return value


def _fields(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    shown = [f"{'.'.join(map(str, p['loc'])) or 'document'}: {p['msg'].lower()}" for p in problems]
    more = f"; {len(shown) - 5} more" if len(shown) > 5 else ""
    return "; ".join(shown[:5]) + more
