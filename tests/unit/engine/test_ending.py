"""What the end of a process means for its task."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.engine.ending import EndFile, RunEnd, end_of
from caesar_core.process.supervise import Ending


@pytest.mark.parametrize("kind", ["timed_out", "cancelled"])
def test_an_agent_that_outlives_sigkill_is_no_lost_one(kind: str) -> None:
    end = end_of(Ending(kind, survived=True), 60_000)  # type: ignore[arg-type]

    assert (end.status, end.unknown) == (kind, False)
    assert "SIGKILL" in end.sentence


def test_of_a_damaged_note_of_the_end_nothing_is_believed(tmp_path: Path) -> None:
    path = tmp_path / "t_1.end.json"
    state = EndFile(path).begin(RunEnd("failed", "It exited with 7.", 7))
    whole = path.read_bytes()
    assert EndFile(path).load() == state

    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        found = EndFile(path).load()
        assert found is not None
        assert (found.end.status, found.report_taken) == ("failed", True)
        assert "damaged" in found.end.sentence
