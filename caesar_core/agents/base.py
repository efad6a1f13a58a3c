"""What the engine knows of an agent: its capabilities, its command line, what its stream means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias

from caesar_core.protocol.event import Error, EventBody

StopSignal: TypeAlias = Literal["SIGTERM", "SIGINT"]
NetworkControl: TypeAlias = Literal["open", "toggle", "write-only", "unknown"]
Injection: TypeAlias = Literal["none", "flag", "project-config", "global-config"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an agent can do, as data.

    Attributes:
        output_schema, strict_schema: its last message can be held to a JSON Schema; its provider
            wants one with every key required and every object closed.
        native_read_only: it has an enforced read-only mode of its own.
        network: who controls its network: nobody (`open`), a flag (`toggle`), its sandbox and
            only when it may write (`write-only`), or nobody knows.
        declares_changes: its reports list the files it changed; when not, files that git sees and
            the report does not name are no contradiction.
        resumes_elsewhere: a session goes on in another folder than the one it began in.
        stop_signal: what it is stopped with first; SIGTERM and SIGKILL follow.
        not_injected: why `mcp_injection` is "none" though the agent takes MCP servers, a clause.
    """

    json_events: bool = False
    output_schema: bool = False
    strict_schema: bool = False
    final_message_file: bool = False
    native_read_only: bool = False
    resume: bool = False
    add_dir: bool = False
    mcp_injection: Injection = "none"
    model: bool = False
    network: NetworkControl = "unknown"
    declares_changes: bool = True
    resumes_elsewhere: bool = True
    stop_signal: StopSignal = "SIGTERM"
    not_injected: str = ""


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
        schema_file, schema: the JSON Schema of the last message, as a file (which the engine
            writes) and as text, when the agent can be held to one.
        channel: the return channel, when it was asked for and the agent takes MCP servers.
        session_id: a fresh UUID for an agent that takes the name of its session from outside.
        resume: the agent's own id of the session to go on with.
        extra: arguments the caller gave after `--`; they come last.
        private_dir: a folder for what the agent's program needs and the agent should not be
            handed; made for the run, removed after it.
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
    schema: str | None = None
    channel: ChannelServer | None = None
    session_id: str | None = None
    resume: str | None = None
    extra: tuple[str, ...] = ()
    private_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A file that an agent needs besides its brief, such as a list of MCP servers.

    Attributes:
        path: below the task directory or the private one, absolute; never a file of the user.
    """

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class Mirror:
    """A folder of the task that shows a folder of the user through links.

    A file of ours in it hides the user's of the same name. What the program makes anew there, or
    puts in place of a link, goes to the user's folder at the end, as if there were no mirror.

    Attributes:
        folder: below the private directory, absolute.
        source: the user's folder; it need not exist.
        only: the names that are shown, all of them when empty.
    """

    folder: Path
    source: Path
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invocation:
    """A process to start.

    Attributes:
        stdin: a file that becomes its stdin; none means that stdin is closed at once.
        shown: the command for people, without the brief.
        env: variables on top of the prepared environment.
        files: written just before the start, readable for the user alone.
        mirrors: made just after them.
    """

    argv: tuple[str, ...]
    cwd: Path
    shown: str
    stdin: Path | None = None
    env: dict[str, str] = field(default_factory=dict, hash=False)
    files: tuple[TaskFile, ...] = ()
    mirrors: tuple[Mirror, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """What a stream says that a run took; `None` is what it does not say.

    The terms are those of `protocol.report.Usage`: `input_tokens` includes cached input,
    `output_tokens` includes reasoning.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cost_usd: float | None = None

    def plus(self, other: TokenUsage) -> TokenUsage:
        """Return the sum; what only one of the two says is taken from that one."""
        return TokenUsage(
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.cached_input_tokens, other.cached_input_tokens),
            None
            if self.cost_usd is None and other.cost_usd is None
            else round((self.cost_usd or 0.0) + (other.cost_usd or 0.0), 9),
        )

    def minus(self, earlier: TokenUsage) -> TokenUsage:
        """Return what came on top of `earlier`, never less than nothing."""
        cost = self.cost_usd
        return TokenUsage(
            _difference(self.input_tokens, earlier.input_tokens),
            _difference(self.output_tokens, earlier.output_tokens),
            _difference(self.cached_input_tokens, earlier.cached_input_tokens),
            None if cost is None else round(max(0.0, cost - (earlier.cost_usd or 0.0)), 9),
        )


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None and right is None else (left or 0) + (right or 0)


def _difference(total: int | None, earlier: int | None) -> int | None:
    return None if total is None else max(0, total - (earlier or 0))


@dataclass(frozen=True, slots=True)
class RunContext:
    """What a translator knows of the run besides its stream.

    Attributes:
        workspace: paths below it are shown relative to it.
        task_dir: where the agent was told to leave what its stream does not hold.
        earlier: what the session had taken before this run, for a CLI that counts a session.
        resumed: the run goes on with a session of an earlier one.
    """

    workspace: Path | None = None
    task_dir: Path | None = None
    earlier: TokenUsage = field(default_factory=TokenUsage)
    resumed: bool = False


NO_CONTEXT: Final = RunContext()


@dataclass(frozen=True, slots=True)
class Denial:
    """Something that the CLI's permissions kept the agent from doing.

    Attributes:
        what: the input in one line, or the CLI's own words.
    """

    tool: str
    what: str


class Translator(Protocol):
    """Turns the native stream of one run into the common vocabulary.

    Attributes:
        final_text: the agent's last words so far, a candidate for its report.
        session_id: the CLI's own name for the session, once the stream told it.
        usage: what this run took so far; `None` when the stream has not said anything.
        denials: what permissions kept the agent from, in order, each once.
        failure: the error that the run ended in by the CLI's own account; `None` while it goes
            well. It outweighs an exit code of 0.
        unknown_lines: lines that were not understood.
        gives_up: why the run is not worth going on with, as a sentence; empty while it is.
    """

    final_text: str | None
    session_id: str | None
    usage: TokenUsage | None
    denials: Sequence[Denial]
    failure: Error | None
    unknown_lines: int
    gives_up: str

    def feed(self, line: str) -> Sequence[EventBody]:
        """Return the events that one line of stdout means; never raises."""
        ...

    def feed_stderr(self, line: str) -> Sequence[EventBody]:
        """Return the events that one line of stderr means; never raises."""
        ...

    def finish(self, exit_code: int | None, stderr_tail: str) -> Sequence[EventBody]:
        """Return what only shows at the end, and make `failure` and `denials` final.

        Args:
            exit_code: `None` when a signal ended the process or nobody knows.
            stderr_tail: the end of what it wrote to stderr.
        """
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

    def translator(self, context: RunContext = NO_CONTEXT) -> Translator:
        """Return a fresh translator for one run."""
        ...


class BaseTranslator:
    """The attributes of a :class:`Translator` as they are before anything was read."""

    def __init__(self) -> None:
        self.final_text: str | None = None
        self.session_id: str | None = None
        self.usage: TokenUsage | None = None
        self.denials: Sequence[Denial] = ()
        self.failure: Error | None = None
        self.unknown_lines = 0
        self.gives_up = ""

    def feed_stderr(self, line: str) -> Sequence[EventBody]:  # noqa: ARG002 - the protocol's shape
        """Return nothing."""
        return ()

    def finish(self, exit_code: int | None, stderr_tail: str) -> Sequence[EventBody]:  # noqa: ARG002 - the protocol's shape
        """Return nothing: the process speaks for itself."""
        return ()


class SilentTranslator(BaseTranslator):
    """For programs whose output has no structure: it stays in `raw.log`."""

    def feed(self, line: str) -> Sequence[EventBody]:  # noqa: ARG002 - the protocol's shape
        """Return nothing."""
        return ()
