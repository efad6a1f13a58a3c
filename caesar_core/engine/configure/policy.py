"""`caesar policy allow|deny` and `caesar agents enable|disable`: who may be delegated to.

A list replaces the one below it, so an edit writes the whole list that holds for a layer into it:
from then on the layer owns it, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from caesar_core.config.edit import ConfigDocument
from caesar_core.config.settings import Policy
from caesar_core.engine.configure.layer_file import Scope, edit_layer
from caesar_core.engine.project import Project
from caesar_core.errors import nearest


@dataclass(frozen=True, slots=True)
class ListEdit:
    """What an edit of a list of agents did.

    Attributes:
        listed: the list as the layer has it now.
        changed: whether the file was written.
        materialized: the layer had no such list of its own before, and now it has.
        warnings: what may surprise.
    """

    id: str
    scope: Scope
    listed: tuple[str, ...]
    changed: bool
    materialized: bool
    warnings: tuple[str, ...] = ()


def deny(project: Project, agent: str, scope: Scope) -> ListEdit:
    """Put an agent on the list of those that may not be used.

    Raises:
        CaesarError: the layer's file cannot be edited.
    """
    return _edit(project, agent, scope, "denied", lambda agents: (*agents, agent))


def undeny(project: Project, agent: str, scope: Scope) -> ListEdit:
    """Take an agent off that list.

    Raises:
        CaesarError: the layer's file cannot be edited.
    """
    return _edit(
        project, agent, scope, "denied", lambda agents: tuple(a for a in agents if a != agent)
    )


def allow(project: Project, agent: str, scope: Scope) -> ListEdit:
    """Put an agent on the list of the only ones that may be used.

    Raises:
        CaesarError: the layer's file cannot be edited.
    """
    return _edit(project, agent, scope, "allowed", lambda agents: (*agents, agent))


def _edit(
    project: Project,
    agent: str,
    scope: Scope,
    name: str,
    change: Callable[[tuple[str, ...]], tuple[str, ...]],
) -> ListEdit:
    def edit(document: ConfigDocument) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
        # Read under the file's lock: of two edits at once neither may lose the other's.
        held: tuple[str, ...] = getattr(project.config_up_to(scope).policy, name)
        wanted = change(held)
        if tuple(dict.fromkeys(wanted)) == held:
            return held, held, True
        return held, wanted, _write(document, name, wanted)

    held, wanted, owned = edit_layer(project, scope, edit)
    if wanted == held:
        return ListEdit(agent, scope, held, changed=False, materialized=False)
    warnings = _warnings(project, agent, name, held, wanted)
    return ListEdit(agent, scope, wanted, changed=True, materialized=not owned, warnings=warnings)


def _write(document: ConfigDocument, name: str, agents: tuple[str, ...]) -> bool:
    section = document.data.get("policy")
    owned = isinstance(section, Mapping) and name in section
    document.set(("policy", name), list(agents))
    return owned


def _warnings(
    project: Project, agent: str, name: str, held: tuple[str, ...], wanted: tuple[str, ...]
) -> tuple[str, ...]:
    warnings = []
    policy = project.config.policy
    if name == "allowed" and not held:
        warnings.append(f"Only {agent} may be used now: every other agent is refused.")
    if getattr(policy, name) != wanted:
        place = project.place_of(f"policy.{name}")
        warnings.append(f"{place} has a list of its own, which wins: nothing changes here.")
    if agent not in project.agents:
        warnings.append(f"There is no agent {agent!r} yet. {nearest(agent, project.agents)}")
    return (*warnings, *_still_refused(policy, agent, added=agent in wanted, name=name))


def _still_refused(policy: Policy, agent: str, *, added: bool, name: str) -> tuple[str, ...]:
    if name == "allowed" and agent in policy.denied:
        return (f"{agent} is still denied: `caesar agents enable {agent}` takes that back.",)
    if name == "denied" and not added and policy.allowed and agent not in policy.allowed:
        return (f"{agent} is not among those allowed: `caesar policy allow {agent}` adds it.",)
    return ()
