"""JSON Schema of every document, draft 2020-12 (specification, "Executable schemas").

Input side: what has a default is optional. The strict variant is for native structured output:
every object closed, every key required, purely optional ones nullable.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, Final, Literal, Union, get_type_hints

from pydantic import BaseModel, TypeAdapter, create_model
from pydantic import Field as Constraint

from caesar_core.errors import CaesarError
from caesar_core.protocol.document import Part
from caesar_core.protocol.event import BODIES
from caesar_core.protocol.question import QuestionFile
from caesar_core.protocol.report import Report
from caesar_core.protocol.task import Task
from caesar_core.protocol.versions import EVENT_V1, REPORT_V1, TASK_V1
from caesar_core.protocol.wire import REQUIRED

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
DOCUMENTS: Final = ("task", "report", "event", "question")
_TITLES: Final = {
    "task": TASK_V1,
    "report": REPORT_V1,
    "event": EVENT_V1,
    "question": "caesar.question/v1",
}


class UnknownDocumentError(CaesarError):
    """A document that the standard does not have."""

    code = "unknown_document"


def json_schema(document: str, *, strict: bool = False) -> dict[str, Any]:
    """Return the JSON Schema of `task`, `report`, `event` or `question`.

    Raises:
        UnknownDocumentError: another name.
    """
    if document not in DOCUMENTS:
        raise UnknownDocumentError(
            f"There is no document {document!r}.", f"Choose one of {', '.join(DOCUMENTS)}."
        )
    schema = _adapter(document).json_schema(mode="validation")
    if "protocol" in schema.get("properties", {}):
        # A default is for writers of ours; a foreign document has to declare its version.
        schema["properties"]["protocol"].pop("default", None)
        schema["required"] = ["protocol", *schema.get("required", [])]
    if strict:
        _close(schema)
    return {"$schema": DRAFT, **schema, "title": _TITLES[document]}


def report_schema(*, strict: bool) -> str:
    """Return the schema of a report as text, for agents that are held to one.

    Without `$schema`: some validators know no draft by its address.
    """
    schema = json_schema("report", strict=strict)
    return json.dumps({key: part for key, part in schema.items() if key != "$schema"})


def event_adapter() -> TypeAdapter[Any]:
    """Return a pydantic adapter for one event line, built from the ten bodies."""
    models = tuple(_event_model(body) for body in BODIES)
    union: Any = Union[models]  # noqa: UP007 - built at run time
    return TypeAdapter(Annotated[union, Constraint(discriminator="type")])


def _adapter(document: str) -> TypeAdapter[Any]:
    builders: dict[str, Callable[[], TypeAdapter[Any]]] = {
        "task": lambda: TypeAdapter(Task),
        "report": lambda: TypeAdapter(Report),
        "question": lambda: TypeAdapter(QuestionFile),
        "event": event_adapter,
    }
    return builders[document]()


def _event_model(body: type[Any]) -> type[BaseModel]:
    hints = get_type_hints(body)
    columns: dict[str, Any] = {
        "protocol": (Literal["caesar.event/v1"], ...),
        "seq": (int, ...),
        "at": (str, ...),
        "task_id": (str, ...),
        "type": (Literal[body.kind], ...),
    }
    for spec in fields(body):
        default = ... if (body.kind, spec.name) in REQUIRED else _default(spec)
        columns[spec.name] = (hints[spec.name], default)
    name = f"{body.__name__}Event"
    model: type[BaseModel] = create_model(name, __base__=Part, __doc__=body.__doc__, **columns)
    return model


def _default(spec: Field[Any]) -> Any:
    return spec.default if spec.default is not MISSING else ...


def _close(node: object) -> None:
    """Close every object below `node`, as structured outputs demand."""
    if isinstance(node, dict):
        # Structured outputs know no default and no length of a string.
        for unknown in ("default", "minLength"):
            if not isinstance(node.get(unknown), dict):
                node.pop(unknown, None)
        if isinstance(node.get("properties"), dict):
            node["additionalProperties"] = False
            node["required"] = list(node["properties"])
        for child in node.values():
            _close(child)
    elif isinstance(node, list):
        for child in node:
            _close(child)


__all__ = ["DOCUMENTS", "event_adapter", "json_schema", "report_schema"]
