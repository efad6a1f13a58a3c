"""Layers of configuration, weakest first: built-in, global, project, local.

Policy, worktree, environment and checks merge field by field (a list replaces, an empty one clears;
a table such as `set` merges key by key), models key by key, roles and agents entry by entry. A
missing file says nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from caesar_core.config.repository import repository_commands
from caesar_core.config.settings import AnswerRule, Check, Config, DeclaredAgent, Layer, Role

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


def load_config(
    project: Path, local: Path, *, global_file: Path | None = None, up_to: Layer = "local"
) -> Config:
    """Return the merged configuration of a project, without layers stronger than `up_to`.

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
        if layer.layer == up_to:
            break
    return config


def _merge(config: Config, file: ConfigFile, layer: Layer) -> Config:
    provenance = dict(config.provenance)
    merged = replace(
        config,
        **{
            name: _merge_section(name, getattr(config, name), said, layer, provenance)
            for name in ("policy", "worktree", "environment", "checks")
            if (said := getattr(file, name)) is not None
        },
        answers=_answers(config, file),
        models={**config.models, **(file.models or {})},
        roles={**config.roles, **{r.name: effective(Role, r) for r in file.role or ()}},
        agents={**config.agents, **{a.id: effective(DeclaredAgent, a) for a in file.agent or ()}},
        provenance=provenance,
        repository_commands=(*config.repository_commands, *repository_commands(file, layer)),
    )
    provenance.update({f"models.{key}": layer for key in file.models or ()})
    provenance.update({f"role.{role.name}": layer for role in file.role or ()})
    provenance.update({f"agent.{agent.id}": layer for agent in file.agent or ()})
    provenance.update({f"answer.{rule.match}": layer for rule in file.answer or ()})
    return merged


def _answers(config: Config, file: ConfigFile) -> tuple[AnswerRule, ...]:
    fresh = {rule.match: effective(AnswerRule, rule) for rule in file.answer or ()}
    return (*fresh.values(), *(rule for rule in config.answers if rule.match not in fresh))


def _merge_section(
    name: str, current: Section, said: Any, layer: Layer, provenance: dict[str, Layer]
) -> Section:
    changes: dict[str, Any] = {}
    for key in said.model_fields_set:
        field_name = _RENAMED.get(key, key)
        value = _frozen(getattr(said, key))
        path = f"{name}.{key.removesuffix('_')}"
        provenance[path] = layer
        if isinstance(value, dict):
            provenance.update({f"{path}.{inner}": layer for inner in value})
            value = {**getattr(current, field_name), **value}
        changes[field_name] = value
    return replace(current, **changes)  # type: ignore[type-var]


def effective(kind: type[Section], entry: Any) -> Section:
    """Return an entry of a file as the record that it becomes."""
    names = [spec.name for spec in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: _frozen(getattr(entry, name)) for name in names})


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    from caesar_core.config.models import CheckEntry

    return effective(Check, value) if isinstance(value, CheckEntry) else value
