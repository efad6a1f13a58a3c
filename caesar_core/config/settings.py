"""The effective configuration: plain values with defaults, and where each came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Layer: TypeAlias = Literal["default", "global", "project", "local"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be delegated, and how by default (times in milliseconds).

    Attributes:
        max_parallel_by_agent: by agent id, on top of `max_parallel`.
        min_free_memory: bytes that have to be free before another task starts; 0: do not look.
    """

    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    max_parallel: int = 4
    max_parallel_by_agent: dict[str, int] = field(default_factory=dict, hash=False)
    min_free_memory: int = 0
    default_isolation: str = "auto"
    default_mode: str = "write"
    default_network: str = "auto"
    default_timeout: int = 600_000
    allow_recursion: bool = False
    allow_inplace_write: bool = False
    max_depth: int = 2


@dataclass(frozen=True, slots=True)
class Furnishing:
    """What a fresh worktree is given: paths relative to the project's root, shell commands."""

    copy: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    setup_timeout: int = 1_800_000


@dataclass(frozen=True, slots=True)
class EnvironmentRules:
    """What an agent's process inherits; `deny` and `passed` are globs over variable names."""

    deny: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    assigned: dict[str, str] = field(default_factory=dict, hash=False)
    redact: bool = True


@dataclass(frozen=True, slots=True)
class Check:
    """A command that proves a result: its exit code 0 is a pass.

    Attributes:
        name: what people see; without one it is `run`.
        timeout: milliseconds; without one that of `Checks`.
    """

    run: str
    name: str | None = None
    timeout: int | None = None


@dataclass(frozen=True, slots=True)
class Checks:
    """What every result is put to (times in milliseconds)."""

    commands: tuple[Check, ...] = ()
    timeout: int = 600_000


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """An answer to every question in which the regular expression `match` is found."""

    match: str
    answer: str


@dataclass(frozen=True, slots=True)
class Role:
    """A profile: agents in order of preference and the defaults of a delegation."""

    name: str
    agents: tuple[str, ...]
    mode: str
    purpose: str = ""
    isolation: str = "auto"
    network: str = "auto"
    timeout: int = 600_000
    system_prompt_file: str | None = None
    model: str | None = None
    channel: bool = False


@dataclass(frozen=True, slots=True)
class DeclaredAgent:
    """A program that the configuration declares as an agent."""

    id: str
    bin: str
    args: tuple[str, ...] = ()
    display_name: str | None = None
    prompt: str | None = None
    cwd_mode: str = "process"
    native_read_only: bool = False
    network_args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepositoryCommand:
    """Something that a repository's own configuration would make us run.

    Attributes:
        path: where it stands, dotted, layer first: `project.agent.mine`,
            `local.worktree.setup.0`, `project.environment.set.PATH`.
        text: what would be run or set, complete.
    """

    path: str
    text: str


DEFAULT_ROLES: Final = (
    Role(
        "reviewer",
        ("codex", "antigravity"),
        "read-only",
        purpose="Review a change or a module and report findings.",
        isolation="inplace",
        system_prompt_file="roles/reviewer.md",
    ),
    Role(
        "implementer",
        ("codex", "antigravity", "opencode"),
        "write",
        purpose="Implement a change with its tests.",
        isolation="worktree",
        system_prompt_file="roles/implementer.md",
    ),
    Role(
        "investigator",
        ("antigravity", "codex", "opencode"),
        "read-only",
        purpose="Find out why something happens.",
        system_prompt_file="roles/investigator.md",
    ),
)


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that is configured for one project.

    Attributes:
        provenance: the layer that decided a value, by dotted path (`policy.max_parallel`,
            `models.codex`, `role.reviewer`, `agent.mine`); absent means built-in.
        answers: the first that matches counts; those of a stronger layer come first.
        repository_commands: what files inside the project would make us run.
    """

    policy: Policy = field(default_factory=Policy)
    worktree: Furnishing = field(default_factory=Furnishing)
    environment: EnvironmentRules = field(default_factory=EnvironmentRules)
    checks: Checks = field(default_factory=Checks)
    answers: tuple[AnswerRule, ...] = ()
    models: dict[str, str] = field(default_factory=dict, hash=False)
    roles: dict[str, Role] = field(
        default_factory=lambda: {role.name: role for role in DEFAULT_ROLES}, hash=False
    )
    agents: dict[str, DeclaredAgent] = field(default_factory=dict, hash=False)
    provenance: dict[str, Layer] = field(default_factory=dict, hash=False)
    repository_commands: tuple[RepositoryCommand, ...] = ()

    def layer_of(self, path: str) -> Layer:
        """Return the layer that decided the value at a dotted path."""
        return self.provenance.get(path, "default")
