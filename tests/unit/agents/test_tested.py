"""Which versions an adapter was tried with, and which are doubtful."""

from __future__ import annotations

import pytest

from caesar_core.agents.tested import TESTED
from tests.real.clis import CLIS


def test_the_versions_are_those_that_the_real_tests_install() -> None:
    assert {cli.id: cli.version for cli in CLIS} == {
        name: tested.first for name, tested in TESTED.items()
    }


@pytest.mark.parametrize(
    ("agent", "told", "word"),
    [
        ("codex", "codex-cli 0.169.0", ""),
        ("codex", "codex-cli 0.169.12-beta.1", ""),
        ("codex", "codex-cli 0.170.0", "newer"),
        ("codex", "codex-cli 0.99.9", "older"),
        ("claude", "2.1.328 (Claude Code)", ""),
        ("claude", "2.1.327 (Claude Code)", "older"),
        ("copilot", "GitHub Copilot CLI 1.0.102.", ""),
        ("gemini", "1.0", "newer"),
        ("opencode", "local build", ""),
        ("opencode", "9" * 5000, ""),
    ],
)
def test_a_version_out_of_the_tested_range_is_doubtful(agent: str, told: str, word: str) -> None:
    """O4."""
    doubt = TESTED[agent].doubt(told)
    assert doubt.startswith(word)
    assert bool(doubt) is bool(word)
