"""One project as the engine sees it: where it is, what is configured, which agents there are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from caesar_core.agents.base import Agent
from caesar_core.agents.generic import BadAgentError, GenericAgent
from caesar_core.agents.registry import catalogue
from caesar_core.clock import Clock, SystemClock
from caesar_core.config.layers import global_config_path, load_config
from caesar_core.config.settings import Config, DeclaredAgent, Layer
from caesar_core.errors import CaesarError
from caesar_core.home import expand_home
from caesar_core.process.spawn import which
from caesar_core.store.atomic import write_atomic
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore

_IGNORED = """\
# Written by caesar: what it keeps here is yours alone. Delete a line to share that part.
/.gitignore
/config.local.toml
/state/
/tasks/
/wt/
"""


class Project:
    """A root with its store and configuration, read when first needed."""

    def __init__(
        self, root: Path, clock: Clock | None = None, *, config: Config | None = None
    ) -> None:
        if config is not None:  # instead of what the files say
            self.__dict__["config"] = config
        self.layout = Layout(root)
        self.clock: Clock = clock or SystemClock()
        self.records = RecordStore(self.layout, self.clock)

    @property
    def root(self) -> Path:
        """The project's root."""
        return self.layout.root

    @cached_property
    def config(self) -> Config:
        """The merged configuration.

        Raises:
            ConfigError: a file of it cannot be used.
        """
        return load_config(self.layout.config, self.layout.local_config)

    @cached_property
    def agents(self) -> Mapping[str, Agent]:
        """Every agent by id.

        Raises:
            BadAgentError: a declared one cannot work.
        """
        return catalogue(
            declared_agent(entry, self.place_of(f"agent.{entry.id}"))
            for entry in self.config.agents.values()
        )

    def file_of(self, layer: Layer) -> Path | None:
        """Return the file of a layer; `None` for what is built in."""
        files = {
            "global": global_config_path(),
            "project": self.layout.config,
            "local": self.layout.local_config,
        }
        return files.get(layer)

    def place_of(self, path: str) -> str:
        """Return the file that decided the value at a dotted path, in words."""
        return str(self.file_of(self.config.layer_of(path)) or "built in")

    def config_up_to(self, layer: Layer) -> Config:
        """The configuration as a layer sees it: without those that are stronger.

        Raises:
            ConfigError: a file of it cannot be used.
        """
        return load_config(self.layout.config, self.layout.local_config, up_to=layer)

    def forget_configuration(self) -> None:
        """Read the configuration anew when it is next needed."""
        for name in ("config", "agents"):
            self.__dict__.pop(name, None)

    def locate(self, binary: str) -> Path | None:
        """Return the absolute path of a program; a relative path starts at the root."""
        if "/" in binary:
            binary = os.path.normpath(self.root / expand_home(binary))
        return which(binary, os.environ.get("PATH", os.defpath))

    def is_installed(self, binary: str) -> bool:
        """Whether a program is on this machine."""
        return self.locate(binary) is not None

    def ignore_own_files(self, git_root: Path | None) -> None:
        """Keep what we write out of `git status`, without touching the user's own file."""
        for base in {self.root, git_root or self.root}:
            target = Layout(base).ignore_file
            if not target.exists():
                write_atomic(target, _IGNORED.encode(), durable=False)


def declared_agent(entry: DeclaredAgent, where: str, text: str | None = None) -> GenericAgent:
    """Return the agent that a file declares.

    Args:
        entry: the declaration.
        where: the path of the file.
        text: what the file says, or is going to say; read when it is needed and not given.

    Raises:
        BadAgentError: it cannot work; file and line are named.
    """
    values = asdict(entry)
    agent = GenericAgent(name=values.pop("display_name"), **values)
    try:
        agent.check()
    except BadAgentError as error:
        line = _line_of_agent(where, text, entry.id, error.key)
        place = f"{where}:{line}" if line else where
        raise BadAgentError(f"{place}: {error.message}", error.hint, key=error.key) from None
    return agent


def _line_of_agent(where: str, text: str | None, agent: str, key: str) -> int | None:
    from caesar_core.config.explain import line_of
    from caesar_core.config.read import parse_toml, read_config_text

    with suppress(CaesarError):  # it is about the agent: a file that has gone meanwhile is no news
        held = read_config_text(Path(where)) if text is None else text
        ids = [entry.get("id") for entry in parse_toml(where, held).get("agent", ())]
        return line_of(held, ("agent", ids.index(agent), key)) if agent in ids else None
    return None
