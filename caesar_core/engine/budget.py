"""`--budget`: what a task may take at most, and stopping it there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from caesar_core.agents.base import TokenUsage, Translator
from caesar_core.errors import CaesarError
from caesar_core.protocol.event import Reason

_AMOUNT: Final = re.compile(r"(\d+(?:\.\d+)?)(usd|tok|ktok|mtok)", re.IGNORECASE)
_TOKENS: Final = {"tok": 1, "ktok": 1_000, "mtok": 1_000_000}


@dataclass(frozen=True, slots=True)
class Budget:
    """The most a task may take; `None` is no limit.

    Attributes:
        tokens: input (cached input included) and output together.
    """

    usd: float | None = None
    tokens: int | None = None

    def __bool__(self) -> bool:
        """Whether there is any limit."""
        return self.usd is not None or self.tokens is not None

    @property
    def text(self) -> str:
        """It in words: `2 USD and 200000 tokens`."""
        parts = [f"{self.usd:g} USD" if self.usd is not None else ""]
        parts.append(f"{self.tokens} tokens" if self.tokens is not None else "")
        return " and ".join(part for part in parts if part)

    def overrun(self, usage: TokenUsage | None) -> str:
        """Return a sentence when more was taken than that, else nothing."""
        cost = usage.cost_usd if usage else None
        if self.usd is not None and cost is not None and cost > self.usd:
            return f"The budget is used up: {cost:.4g} of {self.usd:g} USD."
        taken = _tokens(usage)
        if self.tokens is not None and taken is not None and taken > self.tokens:
            return f"The budget is used up: {taken} of {self.tokens} tokens."
        return ""

    def unknown(self, usage: TokenUsage | None) -> str:
        """Return a sentence when nobody knows whether it was kept, else nothing."""
        lacks = []
        if self.usd is not None and (usage is None or usage.cost_usd is None):
            lacks.append("cost")
        if self.tokens is not None and _tokens(usage) is None:
            lacks.append("tokens")
        if not lacks:
            return ""
        return f"Its stream does not say what it took ({', '.join(lacks)}); nothing was held to it."


def parse_budget(words: Iterable[str]) -> Budget:
    """Read `2usd`, `200ktok`, `1.5mtok`; of several for the same thing the last one counts.

    Raises:
        CaesarError: something else, or nothing at all is allowed.
    """
    usd: float | None = None
    tokens: int | None = None
    for word in words:
        found = _AMOUNT.fullmatch(word.strip())
        amount = float(found[1]) if found else 0.0
        if found is None or amount <= 0:
            raise CaesarError(
                f"--budget does not know {word!r}.", "Write for example 2usd, 0.5usd or 200ktok."
            )
        unit = found[2].lower()
        if unit == "usd":
            usd = amount
        else:
            tokens = max(1, int(amount * _TOKENS[unit]))
    return Budget(usd, tokens)


def why_stop(budget: Budget, translator: Translator) -> tuple[str, Reason]:
    """Return why a running agent should be stopped, empty if not, and the reason that this is."""
    if translator.gives_up:
        return translator.gives_up, "model_error"
    return budget.overrun(translator.usage), "budget"


def _tokens(usage: TokenUsage | None) -> int | None:
    if usage is None or (usage.input_tokens is None and usage.output_tokens is None):
        return None
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)
