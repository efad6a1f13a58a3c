"""Agent x mode x isolation x network x policy: what comes of it, and the reason given."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from caesar_core.agents.install import INSTALL_COMMANDS
from caesar_core.agents.registry import catalogue
from caesar_core.config.settings import Config, Policy
from caesar_core.engine.request import Request, WorkspaceFacts, depth_in
from caesar_core.engine.resolve import Resolution, resolve
from caesar_core.errors import CaesarError

AGENTS: Final = catalogue()
USABLE: Final = WorkspaceFacts(usable=True)
NO_GIT: Final = WorkspaceFacts(usable=False, reason="no repository.", remedy="Run git init.")
# An agent with the word as its capability; which CLI that is may change with its versions.
NATIVE: Final = ("codex", "claude", "copilot")
PLAIN: Final = ("opencode", "shell")


def decide(
    agent: str,
    policy: Policy | None = None,
    workspace: WorkspaceFacts = USABLE,
    missing: tuple[str, ...] = (),
    **asked: str | int | None,
) -> Resolution:
    config = Config(policy=policy or Policy(allow_recursion=True))
    request = Request(objective="x", agent=agent, **asked)  # type: ignore[arg-type]
    return resolve(request, config, AGENTS, lambda name: name not in missing, workspace)


def reason(found: Resolution, field: str) -> tuple[object, str]:
    return next((d.value, d.reason) for d in found.decisions if d.field == field)


# mode, asked, repository, in-place writes allowed -> isolation and reason, or the refusal
ISOLATION: Final = {
    ("write", None, True, False): ("worktree", "auto (policy default) for write"),
    ("write", "auto", True, False): ("worktree", "auto (asked for) for write"),
    ("write", "worktree", True, False): ("worktree", "asked for"),
    ("write", "inplace", True, False): ("isolation_refused", "Writing in place (asked for)"),
    ("write", "inplace", True, True): ("inplace", "asked for"),
    ("write", None, False, False): ("inplace", "no repository."),
    ("write", "auto", False, False): ("inplace", "no repository."),
    ("write", "worktree", False, False): ("isolation_refused", "No worktree can be made"),
    ("write", "inplace", False, False): ("inplace", "asked for"),
    ("read-only", None, True, False): ("inplace", "auto (policy default) for read-only"),
    ("read-only", "auto", True, False): ("inplace", "auto (asked for) for read-only"),
    ("read-only", "worktree", True, False): ("worktree", "asked for"),
    ("read-only", "inplace", True, False): ("inplace", "asked for"),
    ("read-only", None, False, False): ("inplace", "no repository."),
    ("read-only", "worktree", False, False): ("isolation_refused", "No worktree can be made"),
    ("read-only", "inplace", False, False): ("inplace", "asked for"),
}


@pytest.mark.parametrize("agent", [*NATIVE, *PLAIN])
@pytest.mark.parametrize("row", ISOLATION, ids=str)
def test_case_121_isolation(agent: str, row: tuple[str, str | None, bool, bool]) -> None:
    mode, asked, usable, in_place = row
    value, said = ISOLATION[row]
    if mode == "read-only" and usable and agent in PLAIN:
        value, said = "worktree", f"{agent} has no enforced read-only mode"
    policy = Policy(allow_recursion=True, allow_inplace_write=in_place)
    workspace = USABLE if usable else NO_GIT
    if value.endswith("_refused"):
        with pytest.raises(
            CaesarError, match=said.replace("(", r"\(").replace(")", r"\)")
        ) as caught:
            decide(agent, policy, workspace, mode=mode, isolation=asked)
        assert (caught.value.code, bool(caught.value.hint)) == (value, True)
        return
    found = decide(agent, policy, workspace, mode=mode, isolation=asked)

    assert reason(found, "isolation") == (value, said)
    degraded = not usable and (asked != "inplace" if mode == "write" else agent in PLAIN)
    raised = usable and mode == "read-only" and asked == "inplace" and agent in PLAIN
    titles = [n.title for n in found.notes if "solation" in n.title]
    assert titles == ["Degraded isolation"] * degraded + ["Isolation raised"] * raised


# control, mode, asked -> network, the reason's beginning, whether a note tells of it
NETWORK: Final = {
    ("open", "write", "auto"): (True, "auto", False),
    ("open", "write", "on"): (True, "on", False),
    ("open", "write", "off"): (True, "off (asked for) cannot be enforced", True),
    ("open", "read-only", "auto"): (True, "auto", False),
    ("open", "read-only", "on"): (True, "on", False),
    ("open", "read-only", "off"): (True, "off (asked for) cannot be enforced", True),
    ("toggle", "write", "auto"): (True, "auto", False),
    ("toggle", "write", "on"): (True, "on", False),
    ("toggle", "write", "off"): (False, "off (asked for); ", False),
    ("toggle", "read-only", "auto"): (True, "auto", False),
    ("toggle", "read-only", "on"): (True, "on", False),
    ("toggle", "read-only", "off"): (False, "off (asked for); ", False),
    ("write-only", "write", "auto"): (True, "auto", False),
    ("write-only", "write", "on"): (True, "on", False),
    ("write-only", "write", "off"): (False, "off (asked for); ", False),
    ("write-only", "read-only", "auto"): (False, "the read-only sandbox", True),
    ("write-only", "read-only", "on"): (None, "no network in read-only mode", False),
    ("write-only", "read-only", "off"): (False, "off (asked for); ", False),
    ("unknown", "write", "auto"): (True, "auto", False),
    ("unknown", "write", "on"): (True, "on", True),
    ("unknown", "write", "off"): (True, "off (asked for) cannot be enforced", True),
    ("unknown", "read-only", "auto"): (True, "auto", False),
    ("unknown", "read-only", "on"): (True, "on", True),
    ("unknown", "read-only", "off"): (True, "off (asked for) cannot be enforced", True),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_cases_83_and_84_network_of_every_agent(agent: str) -> None:
    """False only where it is enforced (specification: `network` is a result, not a request)."""
    control = AGENTS[agent].capabilities.network
    for (kind, mode, asked), (value, said, told) in NETWORK.items():
        if kind != control:
            continue
        if value is None:
            with pytest.raises(CaesarError, match=said) as caught:
                decide(agent, mode=mode, network=asked)
            assert caught.value.code == "network_refused"
            continue
        found = decide(agent, mode=mode, network=asked)
        got, why = reason(found, "network")
        assert (got, why.startswith(said)) == (value, True), (mode, asked, why)
        title = "Network not guaranteed" if got else "Network cut off"
        network = [n.title for n in found.notes if n.title.startswith("Network")]
        assert network == ([title] if told else []), (mode, asked)


def test_every_kind_of_network_control_is_in_use() -> None:
    used = {agent.capabilities.network for agent in AGENTS.values()}

    assert used == {kind for kind, _, _ in NETWORK}


@pytest.mark.parametrize(
    ("denied", "listed", "deep", "recursive"), list(product([False, True], repeat=4))
)
def test_case_80_policy_in_its_fixed_order(
    denied: bool, listed: bool, deep: bool, recursive: bool
) -> None:
    """Denied, then the allow-list, then the depth, then recursion: the first one speaks."""
    policy = Policy(
        denied=("claude",) if denied else (),
        allowed=("claude",) if listed else ("codex",),
        allow_recursion=recursive,
    )
    wanted = (
        "denies"
        if denied
        else "allows only"
        if not listed
        else "depth 2 reaches the limit of 2"
        if deep
        else None
        if recursive
        else "recursion is off"
    )
    depth = 2 if deep else 1
    if wanted is None:
        found = decide("claude", policy, depth=depth)
        assert reason(found, "policy") == (
            "allowed",
            "not denied; on the allow-list; depth 1 is below 2; recursion is allowed",
        )
        return
    with pytest.raises(CaesarError, match=wanted) as caught:
        decide("claude", policy, depth=depth, missing=("claude",))
    assert caught.value.code == "policy_refused"
    assert "caesar " in caught.value.hint


@pytest.mark.parametrize("agent", [*INSTALL_COMMANDS, "antigravity"])
def test_what_is_not_installed_says_how_to_get_it(agent: str) -> None:
    with pytest.raises(CaesarError, match="is not installed") as caught:
        decide(agent, missing=(AGENTS[agent].bin,))

    wanted = INSTALL_COMMANDS.get(agent, "https://antigravity.google")
    assert (caught.value.code, wanted in caught.value.hint) == ("not_installed", True)


def test_decisions_do_not_depend_on_each_other() -> None:
    """The whole product: each decision is the same whatever the others are."""
    seen: dict[tuple[str, ...], set[object]] = {}
    for agent, mode, isolation, network in product(
        [*NATIVE, *PLAIN], ["write", "read-only"], ["auto", "worktree"], ["auto", "off"]
    ):
        found = decide(agent, mode=mode, isolation=isolation, network=network)
        assert all(decision.reason for decision in found.decisions)
        seen.setdefault(("isolation", agent, mode, isolation), set()).add(found.isolation)
        seen.setdefault(("network", agent, mode, network), set()).add(found.network)
    assert all(len(values) == 1 for values in seen.values())


@pytest.mark.parametrize(
    ("text", "depth"),
    [("", 0), ("0", 0), ("1", 1), ("12", 12), ("-1", 0), ("two", 0), ("1.5", 0), ("²", 0)],
)
def test_case_82_depth_is_never_garbage(text: str, depth: int) -> None:
    assert depth_in({"CAESAR_DEPTH": text}) == depth
    assert depth_in({}) == 0
