"""Layers of configuration, weakest first: built-in, global, project, local.

Policy, worktree and environment merge field by field (a list replaces, an empty one clears),
models key by key, roles and agents entry by entry. A missing file says nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from caesar_core.config.settings import Config, DeclaredAgent, Layer, RepositoryCommand, Role

if TYPE_CHECKING:
    from caesar_core.config.models import ConfigFile

Section = TypeVar("Section")
_RENAMED: Final = {"copy_": "copy", "pass_": "passed", "set_": "assigned"}


@dataclass(frozen=True, slots=True)
class LayerFile:
    """Where one layer lies."""

    layer: Layer
    path: Path


def global_config_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return the person's own file: under `$XDG_CONFIG_HOME`, else `~/.config`."""
    env = os.environ if environment is None else environment
    base = Path(env.get("XDG_CONFIG_HOME") or "")
    if not base.is_absolute():
        home = Path(env.get("HOME") or "")
        base = (home if home.is_absolute() else Path("/")) / ".config"
    return base / "caesar" / "config.toml"


def load_config(project: Path, local: Path, *, global_file: Path | None = None) -> Config:
    """Return the merged configuration of a project.

    Raises:
        ConfigError: a file cannot be read or holds something that is not understood.
    """
    layers = (
        LayerFile("global", global_file or global_config_path()),
        LayerFile("project", project),
        LayerFile("local", local),
    )
    config = Config()
    for layer in layers:
        if os.path.lexists(layer.path):
            from caesar_core.config.read import read_config_file

            config = _merge(config, read_config_file(layer.path), layer.layer)
    return config


def _merge(config: Config, file: ConfigFile, layer: Layer) -> Config:
    provenance = dict(config.provenance)
    merged = replace(
        config,
        policy=_merge_section("policy", config.policy, file.policy, layer, provenance),
        worktree=_merge_section("worktree", config.worktree, file.worktree, layer, provenance),
        environment=_merge_section(
            "environment", config.environment, file.environment, layer, provenance
        ),
        models={**config.models, **(file.models or {})},
        roles={**config.roles, **{r.name: _effective(Role, r) for r in file.role or ()}},
        agents={**config.agents, **{a.id: _effective(DeclaredAgent, a) for a in file.agent or ()}},
        provenance=provenance,
        repository_commands=(*config.repository_commands, *_commands(file, layer)),
    )
    provenance.update({f"models.{key}": layer for key in file.models or ()})
    provenance.update({f"role.{role.name}": layer for role in file.role or ()})
    provenance.update({f"agent.{agent.id}": layer for agent in file.agent or ()})
    return merged


def _commands(file: ConfigFile, layer: Layer) -> Iterator[RepositoryCommand]:
    """Yield what a file that lies in the project would make us run or set."""
    if layer not in {"project", "local"}:
        return
    for agent in file.agent or ():
        words = [agent.bin, *agent.args, *agent.network_args]
        yield RepositoryCommand(f"{layer}.agent.{agent.id}", " ".join(words))
    if file.worktree is not None:
        for number, command in enumerate(file.worktree.setup or ()):
            yield RepositoryCommand(f"{layer}.worktree.setup.{number}", command)
    if file.environment is not None:
        for name, value in (file.environment.set_ or {}).items():
            yield RepositoryCommand(f"{layer}.environment.set.{name}", f"{name}={value}")


def _merge_section(
    name: str, current: Section, said: Any, layer: Layer, provenance: dict[str, Layer]
) -> Section:
    if said is None:
        return current
    changes: dict[str, Any] = {}
    for key in said.model_fields_set:
        field_name = _RENAMED.get(key, key)
        changes[field_name] = _frozen(getattr(said, key))
        provenance[f"{name}.{key.removesuffix('_')}"] = layer
    return replace(current, **changes)  # type: ignore[type-var]


def _effective(kind: type[Section], entry: Any) -> Section:
    names = [spec.name for spec in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: _frozen(getattr(entry, name)) for name in names})


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
