"""`caesar.task/v1`: what an agent is asked to do (specification, "task.json - the task")."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from caesar_core.protocol.document import Document, Part
from caesar_core.protocol.versions import TASK_V1


class Channel(Part):
    """Where the return channel is reachable (specification, "The return channel")."""

    transport: str = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    server_name: str = "caesar"


class Task(Document):
    """An order.

    Attributes:
        network: false asserts that the network is cut; absent reads as true.
        workspace: absolute path of the working root.
        base_ref: under worktree isolation, the commit the outcome is compared with.
        deadline_ms: the time the agent has from its start.
        depth: 1 for a delegation from a terminal or a main agent.
    """

    version: ClassVar[str] = TASK_V1

    protocol: Literal["caesar.task/v1"] = TASK_V1
    id: str = Field(min_length=1)
    created_at: str
    role: str | None = None
    agent: str = Field(min_length=1)
    objective: str = Field(min_length=1)
    context: str = ""
    constraints: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    mode: Literal["read-only", "write"] = "write"
    isolation: Literal["inplace", "worktree"] = "worktree"
    network: bool = True
    workspace: str = Field(min_length=1)
    base_ref: str | None = None
    deadline_ms: int = Field(gt=0)
    depth: int = Field(default=0, ge=0)
    report_path: str
    events_path: str
    channel: Channel | None = None
