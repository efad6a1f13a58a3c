from __future__ import annotations

import pytest

from caesar_core.agents.base import BaseTranslator, SilentTranslator, TokenUsage
from caesar_core.engine.budget import Budget, parse_budget, why_stop
from caesar_core.errors import CaesarError


@pytest.mark.parametrize(
    ("words", "budget"),
    [
        ([], Budget()),
        (["2usd"], Budget(usd=2.0)),
        (["0.5USD"], Budget(usd=0.5)),
        (["200ktok"], Budget(tokens=200_000)),
        (["1.5mtok"], Budget(tokens=1_500_000)),
        (["500tok", "3usd"], Budget(3.0, 500)),
    ],
)
def test_money_and_tokens(words: list[str], budget: Budget) -> None:
    assert parse_budget(words) == budget


@pytest.mark.parametrize("word", ["", "2", "usd", "-1usd", "0usd", "2eur", "1e9usd", "nanusd"])
def test_anything_else_is_refused(word: str) -> None:
    with pytest.raises(CaesarError, match="budget"):
        parse_budget([word])


def test_more_than_allowed_is_a_reason_to_stop() -> None:
    translator = BaseTranslator()
    translator.usage = TokenUsage(90, 20, 50, 1.5)
    stop = [
        why_stop(budget, translator)  # type: ignore[arg-type]
        for budget in (Budget(), Budget(2.0, 110), Budget(tokens=109), Budget(usd=1.49))
    ]
    assert stop[:2] == [("", "budget")] * 2
    assert "110 of 109 tokens" in stop[2][0]
    assert "1.5 of 1.49 USD" in stop[3][0]
    translator.gives_up = "It turns in circles."
    assert why_stop(Budget(), translator) == ("It turns in circles.", "model_error")  # type: ignore[arg-type]


def test_what_no_stream_says_cannot_be_held_and_is_told() -> None:
    """Case M4."""
    assert why_stop(Budget(1.0, 1), SilentTranslator()) == ("", "budget")
    assert "cost, tokens" in Budget(1.0, 1).unknown(None)
    assert "(cost)" in Budget(1.0, 1).unknown(TokenUsage(1, 1))
    assert Budget(tokens=5).unknown(TokenUsage(1, None)) == ""
