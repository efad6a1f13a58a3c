"""Every decision of a delegation, with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from caesar_core.agents.base import Agent, Capabilities, NetworkControl
from caesar_core.agents.generic import GenericAgent
from caesar_core.config.settings import Config, Policy, Role
from caesar_core.engine.request import Request, WorkspaceFacts
from caesar_core.engine.resolve import Resolution, resolve
from caesar_core.errors import CaesarError

USABLE = WorkspaceFacts(usable=True)
NO_GIT = WorkspaceFacts(usable=False, reason="not in git.", remedy="Run git init.")


class FakeAgent(GenericAgent):
    """An agent with any capabilities."""

    network: NetworkControl = "unknown"
    takes_model: bool = False
    reads_only: bool = False

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            network=self.network, model=self.takes_model, native_read_only=self.reads_only
        )


def fake(name: str, **values: Any) -> Agent:
    kind = type(name, (FakeAgent,), values)
    made: Agent = kind(name, name)
    return made


AGENTS: Mapping[str, Agent] = {
    "open": fake("open", network="open", reads_only=True),
    "toggle": fake("toggle", network="toggle", takes_model=True),
    "sandbox": fake("sandbox", network="write-only", reads_only=True),
    "plain": fake("plain"),
    "claude": fake("claude"),
}


def run(
    config: Config | None = None,
    workspace: WorkspaceFacts = USABLE,
    missing: tuple[str, ...] = (),
    **asked: Any,
) -> Resolution:
    request = Request(objective="x", **asked)
    return resolve(request, config or Config(), AGENTS, lambda b: b not in missing, workspace)


def with_role(**values: Any) -> Config:
    role = Role("r", **{"agents": ("plain",), "mode": "write", **values})
    return Config(roles={"r": role}, models={"toggle": "small", "plain": "tiny"})


def with_policy(**values: Any) -> Config:
    return Config(policy=replace(Policy(), **values))


def code_of(**arguments: Any) -> str:
    with pytest.raises(CaesarError) as caught:
        run(**arguments)
    assert caught.value.exit_code == 2
    assert caught.value.message
    return caught.value.code


def test_case_73_neither_agent_nor_role() -> None:
    assert code_of() == "usage"


def test_explicit_agent_wins_and_the_role_gives_the_rest() -> None:
    config = with_role(mode="read-only", timeout=1234)

    found = run(config, role="r", agent="open")

    assert (found.agent.id, found.mode, found.deadline_ms) == ("open", "read-only", 1234)


def test_case_78_role_falls_back_and_says_why() -> None:
    config = with_role(agents=("ghost", "claude", "open", "plain"))

    found = run(config, role="r", missing=("open",))

    assert found.agent.id == "plain"
    reason = next(d.reason for d in found.decisions if d.field == "agent")
    assert reason == (
        "role r; skipped ghost: there is no such agent; skipped claude: Agent claude may itself be "
        "the main agent; recursion is off; skipped open: open is not installed"
    )


def test_case_79_role_without_agents_and_role_without_hope() -> None:
    assert code_of(config=with_role(agents=()), role="r") == "nobody_available"
    assert code_of(config=with_role(), role="r", missing=("plain",)) == "nobody_available"


def test_case_80_denied_beats_allowed() -> None:
    config = with_policy(allowed=("plain",), denied=("plain",))

    assert code_of(config=config, agent="plain") == "policy_refused"


def test_allow_list_depth_and_recursion() -> None:
    assert code_of(config=with_policy(allowed=("open",)), agent="plain") == "policy_refused"
    assert code_of(agent="plain", depth=2) == "policy_refused"
    assert code_of(agent="claude") == "policy_refused"
    assert run(with_policy(allow_recursion=True), agent="claude").agent.id == "claude"


@pytest.mark.parametrize(
    ("agent", "mode", "wanted", "network", "warned"),
    [
        ("open", "write", "auto", True, False),
        ("open", "write", "off", True, True),
        ("toggle", "write", "off", False, False),
        ("toggle", "write", "on", True, False),
        ("sandbox", "write", "on", True, False),
        ("sandbox", "write", "off", False, False),
        ("sandbox", "read-only", "auto", False, True),
        ("plain", "write", "auto", True, False),
        ("plain", "write", "on", True, True),
        ("plain", "write", "off", True, True),
    ],
)
def test_cases_83_84_network_is_a_result_not_a_request(
    agent: str, mode: str, wanted: str, network: bool, warned: bool
) -> None:
    found = run(agent=agent, mode=mode, network=wanted)

    assert found.network is network
    assert bool(found.warnings) is warned


def test_case_83_network_on_is_refused_where_the_sandbox_cuts_it() -> None:
    assert code_of(agent="sandbox", mode="read-only", network="on") == "network_refused"


def test_case_85_model_is_that_of_the_elected_agent() -> None:
    config = with_role(agents=("ghost", "toggle"))

    assert run(config, role="r").model == "small"
    assert run(config, role="r", model="big").model == "big"


def test_model_of_an_agent_that_takes_none() -> None:
    dropped = run(with_role(), agent="plain")

    assert dropped.model is None
    assert "tiny" in dropped.warnings[0]
    assert code_of(agent="plain", model="big") == "model_refused"


@pytest.mark.parametrize(
    ("agent", "mode", "asked", "workspace", "isolation"),
    [
        ("plain", "write", None, USABLE, "worktree"),
        ("plain", "write", None, NO_GIT, "inplace"),
        ("plain", "read-only", None, USABLE, "worktree"),
        ("plain", "read-only", "inplace", USABLE, "worktree"),
        ("open", "read-only", None, USABLE, "inplace"),
        ("open", "read-only", "worktree", USABLE, "worktree"),
        ("open", "read-only", "inplace", USABLE, "inplace"),
        ("plain", "write", "inplace", NO_GIT, "inplace"),
    ],
)
def test_isolation(
    agent: str, mode: str, asked: str | None, workspace: WorkspaceFacts, isolation: str
) -> None:
    assert run(agent=agent, mode=mode, isolation=asked, workspace=workspace).isolation == isolation


def test_isolation_that_cannot_be_had() -> None:
    refused = code_of(agent="plain", isolation="worktree", workspace=NO_GIT)

    assert refused == "isolation_refused"
    assert code_of(agent="plain", isolation="inplace") == "isolation_refused"
    allowed = with_policy(allow_inplace_write=True)
    assert run(allowed, agent="plain", isolation="inplace").isolation == "inplace"


def test_deadline_of_caller_role_and_policy() -> None:
    assert run(agent="plain").deadline_ms == 600_000
    assert run(with_role(timeout=5), role="r").deadline_ms == 5
    assert run(with_role(timeout=5), role="r", timeout="2h").deadline_ms == 7_200_000
    assert code_of(agent="plain", timeout="0") == "bad_duration"


@pytest.mark.parametrize("check", ["", "  ", "a\0b", "caf\udce9"])
def test_a_check_that_says_nothing_or_is_no_text_is_refused(check: str) -> None:
    with pytest.raises(CaesarError, match=r"[Cc]heck"):
        run(agent="a", checks=("true", check))
