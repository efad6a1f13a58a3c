"""The targets of `make soak`'s coverage-guided fuzzing hold, and do not rot where it is missing."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.hostile import fuzz
from tests.hostile.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_x6_seeds_and_what_a_few_changes_make_of_them_are_taken(name: str, tmp_path: Path) -> None:
    feed, seeds = TARGETS[name](tmp_path)
    chance = Random(name)
    for seed in chance.sample(seeds, min(40, len(seeds))):
        feed(seed)
        data = seed
        for _ in range(5):
            data = fuzz._mutated(data, 10_000, chance, lambda data, _: data[: len(data) // 2])
            feed(data)


def test_without_the_fuzzer_it_says_so_and_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fuzz, "find_spec", lambda name: None)

    assert fuzz.main([]) == 0

    assert "skipped, atheris is not installed" in capsys.readouterr().out
