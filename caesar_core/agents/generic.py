"""`[[agent]]`: any program as an agent, described by a command line with tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from caesar_core.agents.base import (
    NO_CONTEXT,
    Capabilities,
    Invocation,
    Job,
    RunContext,
    SilentTranslator,
)
from caesar_core.errors import CaesarError

TOKENS: Final = ("prompt", "promptFile", "workspace", "taskDir", "reportPath", "model")
_TOKEN: Final = re.compile(r"\{\{\s*([A-Za-z_]*)\s*\}\}")
_WAYS: Final = (
    'Put {{promptFile}} or {{prompt}} in args, or set prompt = "stdin", or prompt = "none" for a '
    "program that reads $CAESAR_TASK_FILE."
)


class BadAgentError(CaesarError):
    """A declared agent that cannot work.

    Attributes:
        key: the key of its declaration that is to blame.
    """

    code = "bad_agent"

    def __init__(self, message: str, hint: str = "", *, key: str = "args") -> None:
        super().__init__(message, hint)
        self.key = key


@dataclass(frozen=True, slots=True)
class GenericAgent:
    """A declared program (specification, "Conforming, in practice").

    Attributes:
        prompt: `stdin` feeds it the brief, `none` lets it read `$CAESAR_TASK_FILE`.
        cwd_mode: `process` starts it in the workspace, `flag` in the task directory.
    """

    id: str
    bin: str
    args: tuple[str, ...] = ()
    name: str | None = None
    prompt: str | None = None
    cwd_mode: str = "process"
    native_read_only: bool = False
    network_args: tuple[str, ...] = ()

    @property
    def display_name(self) -> str:
        """The declared name, else the id."""
        return self.name or self.id

    @property
    def capabilities(self) -> Capabilities:
        """What the declaration implies."""
        return Capabilities(
            native_read_only=self.native_read_only,
            model=self._mentions("model"),
            network="toggle" if self.network_args else "unknown",
        )

    def check(self) -> None:
        """Refuse a declaration that cannot work.

        Raises:
            BadAgentError: an unknown token, or no way for the brief to arrive.
        """
        for key, arguments in (("args", self.args), ("network_args", self.network_args)):
            for argument in arguments:
                self._check_tokens(key, argument)
        if self.prompt is None and not (self._mentions("prompt") or self._mentions("promptFile")):
            raise BadAgentError(f"Agent {self.id} has no way to receive the brief.", _WAYS)

    def _check_tokens(self, key: str, argument: str) -> None:
        for token in _TOKEN.findall(argument):
            if token not in TOKENS:
                known = ", ".join(f"{{{{{name}}}}}" for name in TOKENS)
                raise BadAgentError(
                    f"Agent {self.id}: unknown token {{{{{token}}}}} in {argument!r}.",
                    f"Known tokens: {known}.",
                    key=key,
                )

    def invoke(self, job: Job) -> Invocation:
        """Return the process: tokens filled in, network arguments, then the caller's own.

        Raises:
            BadAgentError: see :meth:`check`.
        """
        self.check()
        values = {
            "prompt": job.brief,
            "promptFile": str(job.brief_file),
            "workspace": str(job.workspace),
            "taskDir": str(job.task_dir),
            "reportPath": str(job.report_path),
            "model": job.model or "",
        }
        template = self.args + (self.network_args if job.network else ())
        shown = _fill(template, {**values, "prompt": "<brief>"})
        return Invocation(
            argv=(self.bin, *_fill(template, values), *job.extra),
            cwd=job.task_dir if self.cwd_mode == "flag" else job.workspace,
            shown=" ".join((self.bin, *shown, *job.extra)),
            stdin=job.brief_file if self.prompt == "stdin" else None,
        )

    def translator(self, context: RunContext = NO_CONTEXT) -> SilentTranslator:  # noqa: ARG002 - the protocol's shape
        """Return a translator: its output has no structure that we know."""
        return SilentTranslator()

    def _mentions(self, token: str) -> bool:
        return any(token in _TOKEN.findall(argument) for argument in self.args)


def _fill(template: tuple[str, ...], values: dict[str, str]) -> list[str]:
    """Fill the tokens in; an argument that holds a token without a value vanishes entirely."""
    filled = []
    for argument in template:
        tokens = _TOKEN.findall(argument)
        if all(values.get(token) for token in tokens):
            filled.append(_TOKEN.sub(lambda match: values[match[1]], argument))
    return filled
