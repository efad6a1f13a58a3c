"""Tools as data, and one MCP server made of them.

The library drops unknown arguments, hides the text of most errors and indents its results. Here an
unknown argument is refused by name, an error says what to do, and a result is compact.
"""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from pydantic import BaseModel, ConfigDict, ValidationError

from caesar_core import VERSION
from caesar_core.errors import CaesarError

_log: Final = logging.getLogger(__name__)
_MOST_PROBLEMS: Final = 5


class Arguments(BaseModel):
    """The arguments of a tool: what is not one of them is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Result(BaseModel):
    """The result of a tool; what was not set is not sent."""

    model_config = ConfigDict(frozen=True)

    def to_json(self) -> dict[str, Any]:
        """Return what the client gets: the keys that were set, nulls among them."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class NoArguments(Arguments):
    """For tools without any."""


Report: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]
Run: TypeAlias = Callable[..., Result | Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        run: called with the arguments; a coroutine function also gets a function that sends
            progress. A plain function runs on a thread of its own.
        idempotent: calling it again changes nothing more.
    """

    name: str
    description: str
    arguments: type[Arguments]
    result: type[Result]
    run: Run
    reads_only: bool = False
    destructive: bool = False
    idempotent: bool = False

    def described(self) -> types.Tool:
        """Return what `tools/list` says of it."""
        return types.Tool(
            name=self.name,
            description=self.description,
            input_schema=self.arguments.model_json_schema(),
            output_schema=self.result.model_json_schema(mode="serialization", by_alias=True),
            annotations=types.ToolAnnotations(
                read_only_hint=self.reads_only,
                destructive_hint=self.destructive,
                idempotent_hint=self.reads_only or self.idempotent,
                open_world_hint=False,
            ),
        )

    async def call(self, given: Mapping[str, Any], report: Report) -> types.CallToolResult:
        """Check the arguments, run, and return the result or the error as one."""
        try:
            arguments = self.arguments.model_validate(dict(given))
        except ValidationError as error:
            return _failure(f"{self.name}: {_problems(error)}.")
        try:
            result = await self._run(arguments, report)
        except CaesarError as error:
            return _failure(f"{error.message} {error.hint}".strip())
        except Exception as error:  # noqa: BLE001 - the edge: a defect ends one call, not the server
            _log.exception("%s failed", self.name)
            return _failure(f"{self.name} itself failed: {type(error).__name__}: {error}")
        return _success(result.to_json())

    async def _run(self, arguments: Arguments, report: Report) -> Result:
        if inspect.iscoroutinefunction(self.run):
            result: Result = await self.run(arguments, report)
            return result
        # Given up when the client leaves: what must not be torn then is in `critical`.
        return await anyio.to_thread.run_sync(self.run, arguments, abandon_on_cancel=True)  # type: ignore[arg-type]


def build_server(name: str, instructions: str, tools: Sequence[Tool]) -> Server[dict[str, Any]]:
    """Return a server that has these tools, for both eras of the protocol."""
    by_name = {tool.name: tool for tool in tools}
    listed = types.ListToolsResult(tools=[tool.described() for tool in tools])
    schemas = {tool.name: tool.input_schema for tool in listed.tools}

    async def on_list(*_: Any) -> types.ListToolsResult:
        return listed

    async def on_call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            return _failure(f"There is no tool {params.name!r}. Known: {', '.join(by_name)}.")
        return await tool.call(params.arguments or {}, context.session.report_progress)

    return Server(
        name,
        version=VERSION,
        instructions=instructions,
        get_tool_input_schema=schemas.get,
        on_list_tools=on_list,
        on_call_tool=on_call,
    )


def _success(document: dict[str, Any]) -> types.CallToolResult:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # lone surrogates: not everything that an agent writes is text
        text = text.encode("utf-8", "replace").decode("utf-8")
        document = json.loads(text)
    content = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=list(content), structured_content=document)


def _failure(text: str) -> types.CallToolResult:
    said = text.encode("utf-8", "replace").decode("utf-8")
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)], is_error=True)


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    texts = [_problem(problem["loc"], problem["type"], problem["msg"]) for problem in found]
    more = f"; {len(texts) - _MOST_PROBLEMS} more" if len(texts) > _MOST_PROBLEMS else ""
    return "; ".join(texts[:_MOST_PROBLEMS]) + more


def _problem(place: tuple[int | str, ...], kind: str, message: str) -> str:
    name = ".".join(map(str, place)) or "arguments"
    said = {
        "extra_forbidden": "is not an argument of this tool",
        "missing": "is required",
    }.get(kind)
    return f"{name} {said}" if said else f"{name}: {message.lower()}"
