"""What the engine knows of an agent: its capabilities, its command line, what its stream means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from caesar_core.protocol.event import EventBody

NetworkControl: TypeAlias = Literal["open", "toggle", "write-only", "unknown"]
Injection: TypeAlias = Literal["none", "flag", "project-config", "global-config"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an agent can do, as data.

    Attributes:
        native_read_only: it has an enforced read-only mode of its own.
        network: who controls its network: nobody (`open`), a flag (`toggle`), its sandbox and
            only when it may write (`write-only`), or nobody knows.
        declares_changes: its reports list the files it changed; when not, files that git sees and
            the report does not name are no contradiction.
    """

    json_events: bool = False
    output_schema: bool = False
    final_message_file: bool = False
    native_read_only: bool = False
    resume: bool = False
    add_dir: bool = False
    mcp_injection: Injection = "none"
    model: bool = False
    network: NetworkControl = "unknown"
    declares_changes: bool = True


@dataclass(frozen=True, slots=True)
class ChannelServer:
    """The return channel as an MCP server over stdio, for an adapter to inject.

    Attributes:
        argv: the command that serves it.
        env: variables it needs on top of those the agent has.
    """

    argv: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Job:
    """Everything an adapter may put on a command line; all paths absolute.

    Attributes:
        brief: the brief's text, which is also what `brief_file` holds.
        add_dirs: directories besides the workspace that the agent has to reach.
        schema_file: the JSON Schema of the last message, when the agent can be held to one.
        channel: the return channel, when it was asked for and the agent takes MCP servers.
        session_id: a fresh UUID for an agent that takes the name of its session from outside.
        resume: the agent's own id of the session to go on with.
        extra: arguments the caller gave after `--`; they come last.
    """

    task_id: str
    brief: str
    brief_file: Path
    task_dir: Path
    report_path: Path
    workspace: Path
    mode: str
    network: bool
    model: str | None
    role: str | None
    deadline_ms: int
    add_dirs: tuple[Path, ...] = ()
    schema_file: Path | None = None
    channel: ChannelServer | None = None
    session_id: str | None = None
    resume: str | None = None
    extra: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invocation:
    """A process to start.

    Attributes:
        stdin: a file that becomes its stdin; none means that stdin is closed at once.
        shown: the command for people, without the brief.
        env: variables on top of the prepared environment.
    """

    argv: tuple[str, ...]
    cwd: Path
    shown: str
    stdin: Path | None = None
    env: dict[str, str] = field(default_factory=dict, hash=False)


class Translator(Protocol):
    """Turns the native stream of one run into the common vocabulary.

    Attributes:
        final_text: the agent's last words so far, a candidate for its report.
    """

    final_text: str | None

    def feed(self, line: str) -> Sequence[EventBody]:
        """Return the events that one line of stdout means; never raises."""
        ...


class Agent(Protocol):
    """A program that work can be handed to."""

    @property
    def id(self) -> str:
        """The name it is asked for by."""
        ...

    @property
    def display_name(self) -> str:
        """The name people see."""
        ...

    @property
    def bin(self) -> str:
        """The program: a name on PATH or a path."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    def invoke(self, job: Job) -> Invocation:
        """Return the process for a job.

        Raises:
            CaesarError: the job cannot be expressed for this agent.
        """
        ...

    def translator(self) -> Translator:
        """Return a fresh translator for one run."""
        ...


class SilentTranslator:
    """For programs whose output has no structure: it stays in `raw.log`."""

    def __init__(self) -> None:
        self.final_text: str | None = None

    def feed(self, line: str) -> Sequence[EventBody]:  # noqa: ARG002 - the protocol's shape
        """Return nothing."""
        return ()
