"""The configuration's tables as models: strict, every unknown key an error.

A file's model has no defaults: what a layer does not say stays absent, so that layers merge field
by field. The effective values are the dataclasses of `config.layers`.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from caesar_core.config.sizes import BadSizeError, parse_size
from caesar_core.durations import BadDurationError, parse_duration

IsolationChoice = Literal["inplace", "worktree", "auto"]
NetworkChoice = Literal["auto", "on", "off"]
ModeChoice = Literal["read-only", "write"]
AGENT_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"


def _duration(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("write a duration such as 90s, 10m or 2h")  # noqa: TRY004 - pydantic's way
    try:
        return parse_duration(value)
    except BadDurationError as error:
        raise ValueError(error.message) from None


def _relative(value: str) -> str:
    path = PurePosixPath(value)
    if not value or path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError("write a relative path below the project, without '..'")
    if path.parts[0].lower() in {".git", ".caesar"}:
        raise ValueError("neither .git nor .caesar can be carried into a worktree")
    return str(path)


def _prompt_file(value: str) -> str:
    path = PurePosixPath(value)
    if not path.parts or path.is_absolute() or ".." in path.parts:
        raise ValueError("write a path below .caesar, without '..'")
    return str(path)


def _size(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("write a size such as 512MiB or 2GiB")  # noqa: TRY004 - pydantic's way
    try:
        return parse_size(value)
    except BadSizeError as error:
        raise ValueError(error.message) from None


def _variable(value: str) -> str:
    if not value or "=" in value or "\0" in value:
        raise ValueError("no name of a variable: it holds '=' or NUL, or is empty")
    return value


def _without_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("a variable cannot hold NUL")
    return value


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return value


def _check(value: object) -> object:
    return {"run": value} if isinstance(value, str) else value


Duration = Annotated[int, BeforeValidator(_duration)]
RelativePath = Annotated[str, AfterValidator(_relative)]
PromptFile = Annotated[str, AfterValidator(_prompt_file)]
Text = Annotated[str, Field(min_length=1)]
Size = Annotated[int, BeforeValidator(_size)]
Pattern = Annotated[str, Field(min_length=1), AfterValidator(_pattern)]
VariableName = Annotated[str, AfterValidator(_variable)]
VariableValue = Annotated[str, AfterValidator(_without_nul)]
Positive = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class PolicySection(Section):
    """`[policy]`: what may be delegated, and how by default."""

    allowed: list[str] | None = None
    denied: list[str] | None = None
    max_parallel: Positive | None = None
    max_parallel_by_agent: dict[Text, Positive] | None = None
    min_free_memory: Size | None = None
    default_isolation: IsolationChoice | None = None
    default_mode: ModeChoice | None = None
    default_network: NetworkChoice | None = None
    default_timeout: Duration | None = None
    allow_recursion: bool | None = None
    allow_inplace_write: bool | None = None
    max_depth: int | None = Field(default=None, ge=0)


class WorktreeSection(Section):
    """`[worktree]`: what a fresh worktree is furnished with."""

    copy_: list[RelativePath] | None = Field(default=None, alias="copy")
    link: list[RelativePath] | None = None
    setup: list[Text] | None = None
    setup_timeout: Duration | None = None


class EnvironmentSection(Section):
    """`[environment]`: what an agent's process inherits."""

    deny: list[Text] | None = None
    pass_: list[Text] | None = Field(default=None, alias="pass")
    set_: dict[VariableName, VariableValue] | None = Field(default=None, alias="set")
    redact: bool | None = None


class CheckEntry(Section):
    """One command of `[checks]`; a text alone is its `run`."""

    run: Text
    name: Text | None = None
    timeout: Duration | None = None


class ChecksSection(Section):
    """`[checks]`: commands that prove a result, and how long each may take."""

    commands: list[Annotated[CheckEntry, BeforeValidator(_check)]] | None = None
    timeout: Duration | None = None


class AnswerEntry(Section):
    """`[[answer]]`: what is answered, without a person, to a question that matches."""

    match: Pattern
    answer: Text


class RoleEntry(Section):
    """`[[role]]`: a profile with its agents in order of preference."""

    name: Text
    purpose: str = ""
    agents: list[Text]
    mode: ModeChoice
    isolation: IsolationChoice = "auto"
    network: NetworkChoice = "auto"
    timeout: Duration = 600_000
    system_prompt_file: PromptFile | None = None
    model: Text | None = None
    channel: bool = False


class AgentEntry(Section):
    """`[[agent]]`: any program as an agent.

    Attributes:
        args: command line with the tokens of `agents.generic`.
        prompt: how the brief arrives when no token of `args` carries it.
        cwd_mode: `process` starts it in the workspace, `flag` in the task directory.
        network_args: appended when the network is on; their presence makes it switchable.
    """

    id: str = Field(pattern=AGENT_ID)
    bin: Text
    display_name: str | None = None
    args: list[str] = Field(default_factory=list)
    prompt: Literal["stdin", "none"] | None = None
    cwd_mode: Literal["process", "flag"] = "process"
    native_read_only: bool = False
    network_args: list[str] = Field(default_factory=list)


class ConfigFile(Section):
    """One configuration file, as it stands."""

    policy: PolicySection | None = None
    worktree: WorktreeSection | None = None
    models: dict[str, Text] | None = None
    environment: EnvironmentSection | None = None
    checks: ChecksSection | None = None
    answer: list[AnswerEntry] | None = None
    role: list[RoleEntry] | None = None
    agent: list[AgentEntry] | None = None
