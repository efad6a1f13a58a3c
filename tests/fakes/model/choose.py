"""From what the script wants to the tools that a request offers, by their names and schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final, TypeAlias

from tests.fakes.model.script import Action, Edit, Read, Shell, Tool, Write
from tests.fakes.model.turn import SEARCH, Json, Offered

_SHELLS: Final = ("exec_command", "shell", "Bash", "bash", "run_shell_command", "run_command")
_WRITERS: Final = ("Write", "write", "create", "write_file")
_EDITORS: Final = ("Edit", "edit", "replace")
_READERS: Final = ("Read", "read", "view", "read_file")
_STRUCTURED: Final = "StructuredOutput"
_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "command": ("cmd", "command"),
    "path": ("file_path", "filePath", "path", "absolute_path"),
    "content": ("content", "file_text"),
    "old": ("old_string", "oldString", "old_str"),
    "new": ("new_string", "newString", "new_str"),
}
_FILLERS: Final[Mapping[str, Any]] = {
    "boolean": False,
    "integer": 1,
    "number": 1,
    "array": [],
    "object": {},
}

Chosen: TypeAlias = tuple[Offered, Json, str | None]
"""A tool, its arguments, and its text when it takes free text."""


class Toolbox:
    """The tools of one request, and the folder that relative paths are meant in."""

    def __init__(self, offered: Sequence[Offered], workspace: str | None) -> None:
        self._tools = {tool.name: tool for tool in offered}
        self._workspace = workspace

    @property
    def is_empty(self) -> bool:
        """Whether nothing is offered that the script could use: a side request."""
        known = {*_SHELLS, *_READERS, "exec", "apply_patch", _STRUCTURED}
        return not any(
            name in known or name.endswith(("submit_report", "ask_orchestrator"))
            for name in self._tools
        )

    @property
    def structured(self) -> Offered | None:
        """The CLI's own tool for a last answer that is held to a schema."""
        return self._tools.get(_STRUCTURED)

    def choose(self, action: Action) -> Chosen:
        """Return the call for an action."""
        if isinstance(action, Tool):
            return self._by_ending(action)
        if self._is_code_mode:
            return Offered("exec", "custom"), {}, _javascript(action)
        if isinstance(action, Shell):
            return self._shell(action.command)
        return self._file(action)

    @property
    def _is_code_mode(self) -> bool:
        return "exec" in self._tools and self._first(_SHELLS) is None

    def _first(self, names: Sequence[str]) -> Offered | None:
        return next((self._tools[name] for name in names if name in self._tools), None)

    def _by_ending(self, action: Tool) -> Chosen:
        arguments = dict(action.arguments)
        for name, tool in self._tools.items():
            if name == action.name or name.endswith(("_" + action.name, "-" + action.name)):
                return tool, arguments, None
        if self._is_code_mode:
            call = f"text(await tools.mcp__caesar__{action.name}({json.dumps(arguments)}));"
            return Offered("exec", "custom"), {}, call
        if SEARCH in self._tools:
            return self._tools[SEARCH], {"query": action.name}, None
        return Offered(action.name), arguments, None

    def _shell(self, command: str) -> Chosen:
        tool = self._first(_SHELLS)
        if tool is None:  # call one all the same, as a confused model would
            return Offered("shell_not_offered"), {"command": command}, None
        return tool, _fill(tool, {"command": command}), None

    def _file(self, action: Read | Write | Edit) -> Chosen:
        names = {Read: _READERS, Write: _WRITERS, Edit: _EDITORS}[type(action)]
        tool = self._first(names)
        if tool is not None:
            return tool, _fill(tool, self._values(action)), None
        patch = self._tools.get("apply_patch")
        if isinstance(action, Read):
            return self._shell(f"cat {action.path}")
        if patch is None:
            return self._shell(f"apply_patch <<'END'\n{_patch(action)}END")
        if patch.kind == "custom":
            return patch, {}, _patch(action)
        return patch, _fill(patch, {"input": _patch(action)}), None

    def _values(self, action: Read | Write | Edit) -> dict[str, str]:
        values = {"path": str(PurePosixPath(self._workspace or ".", action.path))}
        if isinstance(action, Write):
            values["content"] = action.content
        if isinstance(action, Edit):
            values |= {"old": action.old, "new": action.new}
        return values


def _fill(tool: Offered, values: Mapping[str, str]) -> Json:
    """Name the values as the tool's schema does, and give it what else it requires."""
    schema = tool.schema or {}
    properties: Mapping[str, Any] = schema.get("properties") or {}
    arguments: Json = {}
    for key, value in values.items():
        name = next((name for name in _NAMES.get(key, (key,)) if name in properties), key)
        is_argv = properties.get(name, {}).get("type") == "array"
        arguments[name] = ["bash", "-lc", value] if is_argv else value
    for name in schema.get("required") or ():
        arguments.setdefault(name, _filler(properties.get(name, {})))
    return arguments


def _filler(schema: Mapping[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    return _FILLERS.get(str(schema.get("type")), "scripted")


def _javascript(action: Shell | Read | Write | Edit) -> str:
    """Return what "code mode" takes instead of single tools: a few lines of JavaScript."""
    if isinstance(action, Write | Edit):
        return f"text(await tools.apply_patch({json.dumps(_patch(action))}));"
    command = action.command if isinstance(action, Shell) else f"cat {action.path}"
    return f"text(await tools.exec_command({{cmd: {json.dumps(command)}}}));"


def _patch(action: Write | Edit) -> str:
    if isinstance(action, Write):
        added = "".join(f"+{line}\n" for line in action.content.splitlines())
        return f"*** Begin Patch\n*** Add File: {action.path}\n{added}*** End Patch\n"
    changed = f"@@\n-{action.old}\n+{action.new}\n"
    return f"*** Begin Patch\n*** Update File: {action.path}\n{changed}*** End Patch\n"
