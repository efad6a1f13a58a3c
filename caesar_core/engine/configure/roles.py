"""`caesar role add|remove|show|list`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from caesar_core.config.settings import DEFAULT_ROLES, Role
from caesar_core.config.values import entry_values
from caesar_core.engine.configure.agents import Removed, remove_entry
from caesar_core.engine.configure.layer_file import Scope, edit_layer
from caesar_core.engine.project import Project
from caesar_core.engine.resolve_agent import UnknownRoleError
from caesar_core.engine.roles import role_prompt
from caesar_core.errors import CaesarError, nearest


@dataclass(frozen=True, slots=True)
class RoleAdded:
    """What a declaration did."""

    role: Role
    scope: Scope
    replaced: bool


def add_role(project: Project, role: Role, scope: Scope) -> RoleAdded:
    """Declare a role; one of the same name is replaced whole, but for its prompt file.

    Raises:
        CaesarError: no name, no agents, a value that cannot be.
    """
    if not role.name.strip() or not role.agents:
        raise CaesarError("A role needs a name and at least one agent.", "Give --agents a,b.")
    known = project.config.roles.get(role.name)
    if known is not None and role.system_prompt_file is None:
        role = replace(role, system_prompt_file=known.system_prompt_file)
    values = entry_values(role)
    edit_layer(project, scope, lambda document: document.put_entry("role", values))
    return RoleAdded(role, scope, replaced=known is not None)


def remove_role(project: Project, name: str, scope: Scope) -> Removed:
    """Take a role out of the layer that declares it.

    Raises:
        CaesarError: that layer declares none; the one that does is named.
    """
    remove_entry(project, "role", name, scope)
    builtin = {role.name for role in DEFAULT_ROLES}
    return Removed(name, scope, restores=name in builtin or name in project.config.roles)


def show_role(project: Project, name: str) -> dict[str, Any]:
    """Return a role as JSON, with its prompt and where it comes from.

    Raises:
        UnknownRoleError: there is none of that name.
    """
    role = project.config.roles.get(name)
    if role is None:
        raise UnknownRoleError(f"There is no role {name!r}.", nearest(name, project.config.roles))
    return {
        "name": role.name,
        "purpose": role.purpose,
        "agents": list(role.agents),
        "mode": role.mode,
        "isolation": role.isolation,
        "network": role.network,
        "timeout": role.timeout,
        "model": role.model,
        "system_prompt_file": role.system_prompt_file,
        "systemPrompt": role_prompt(project.layout, role),
        "provenance": project.config.layer_of(f"role.{name}"),
    }
