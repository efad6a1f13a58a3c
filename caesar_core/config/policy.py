"""Whether a delegation is allowed; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from caesar_core.config.settings import Policy
from caesar_core.errors import CaesarError

RECURSIVE_AGENTS: Final = frozenset(("claude",))
# Stands for a depth that is not asked about: deeper than no limit.
NO_DEPTH: Final = -1


class PolicyRefusedError(CaesarError):
    """The policy says no."""

    code = "policy_refused"


def permission(policy: Policy, agent: str, *, depth: int) -> str:
    """Return why `agent` is allowed, in words; meant for one that `refusal` does not refuse."""
    listed = "on the allow-list" if policy.allowed else "no allow-list"
    recursion = "; recursion is allowed" if agent in RECURSIVE_AGENTS else ""
    return f"not denied; {listed}; depth {depth} is below {policy.max_depth}{recursion}"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an agent may not be used, and what would change that."""

    rule: str
    reason: str
    remedy: str

    def error(self) -> PolicyRefusedError:
        """Return the refusal as an error."""
        return PolicyRefusedError(self.reason, self.remedy)


def refusal(policy: Policy, agent: str, *, depth: int = 1) -> Refusal | None:
    """Return why `agent` is refused at `depth`; `None` when it is allowed.

    Denied beats allowed; then the allow-list, the depth, and recursion.
    """
    if agent in policy.denied:
        return Refusal(
            "denied",
            f"The policy denies agent {agent}.",
            f"`caesar agents enable {agent}` takes it off [policy] denied.",
        )
    if policy.allowed and agent not in policy.allowed:
        return Refusal(
            "allowed",
            f"The policy allows only {', '.join(policy.allowed)}; not {agent}.",
            f"`caesar policy allow {agent}` puts it on [policy] allowed.",
        )
    if depth >= policy.max_depth:
        return Refusal(
            "max_depth",
            f"Delegation depth {depth} reaches the limit of {policy.max_depth}.",
            "Do the work here, or raise it: `caesar config set policy.max_depth N`.",
        )
    if agent in RECURSIVE_AGENTS and not policy.allow_recursion:
        return Refusal(
            "allow_recursion",
            f"Agent {agent} may itself be the main agent; recursion is off.",
            "`caesar config set policy.allow_recursion true` permits it.",
        )
    return None
