"""Every recorded stream of a real CLI, against the events that a person has looked at."""

from __future__ import annotations

from typing import Final

import pytest

from caesar_core.protocol.event import Error, Finished, Started, ToolUse
from tests.unit.agents.recordings import GOLDEN, Recording, golden_text, play, recordings

ALL = recordings()
# What ended in an error by the CLI's own account or by its silence; whatever its exit code.
FAILED: Final[dict[str, str]] = {
    "claude-bypass": "other",
    "claude-bypass-mode": "other",
    "claude-connrefused-first": "network",
    "claude-connrefused-int": "cancelled",
    "claude-connrefused-mcp-deferred": "network",
    "claude-connrefused-resume": "network",
    "claude-drop": "model_error",
    "claude-e401": "auth",
    "claude-e500": "model_error",
    "claude-e500mid": "model_error",
    "claude-int": "cancelled",
    "claude-nokey": "auth",
    "claude-noverbose": "other",
    "claude-resume-bad": "other",
    "claude-reuse-sid": "other",
    "claude-term": "other",
    "claude-term-hang": "other",
    "codex-drop": "network",
    "codex-e401": "auth",
    "codex-e500": "model_error",
    "codex-e500mid": "model_error",
    "codex-int": "other",
    "codex-mcp-broken": "other",
    "codex-native-int": "other",
    "codex-nokey": "auth",
    "codex-resume-bad": "other",
    "copilot-drop": "model_error",
    "copilot-e500": "model_error",
    "copilot-e500mid": "model_error",
    "copilot-native-int": "cancelled",
    "copilot-native-term": "cancelled",
    "copilot-native-term-hang": "cancelled",
    "copilot-nokey": "auth",
    "copilot-resume-bad": "other",
    "gemini-drop": "network",
    "gemini-e401": "auth",
    "gemini-e500": "model_error",
    "gemini-e500-maxattempts": "model_error",
    "gemini-fresh-nosettings": "auth",
    "gemini-int": "other",
    "gemini-nokey": "auth",
    "gemini-resume-bad": "other",
    "gemini-term": "other",
    "opencode-e401": "auth",
    "opencode-fail": "permission_denied",
    "opencode-resume-bad": "other",
}


@pytest.mark.parametrize("recording", ALL, ids=lambda recording: recording.name)
def test_recording_translates_to_its_golden_file(recording: Recording) -> None:
    """`python -m tests.unit.agents.recordings --write` makes them anew."""
    assert golden_text(recording) == recording.golden.read_text(encoding="utf-8")


def test_every_golden_file_has_its_recording() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {one.golden.name for one in ALL}


@pytest.mark.parametrize("recording", ALL, ids=lambda recording: recording.name)
def test_every_tool_starts_once_and_ends_once(recording: Recording) -> None:
    """Case 27: start and end carry the same id."""
    bodies, _ = play(recording)
    calls: dict[str, list[str]] = {}
    for body in bodies:
        if isinstance(body, ToolUse):
            calls.setdefault(body.id, []).append(body.status)

    assert all(len(seen) == 2 and seen[0] == "started" != seen[1] for seen in calls.values())


@pytest.mark.parametrize("recording", ALL, ids=lambda recording: recording.name)
def test_adapters_leave_start_and_end_of_the_run_to_the_engine(recording: Recording) -> None:
    assert not [body for body in play(recording)[0] if isinstance(body, Started | Finished)]


@pytest.mark.parametrize(("name", "reason"), FAILED.items())
def test_failed_run_is_never_green(name: str, reason: str) -> None:
    """Cases 33, 35, M1, O3: failure and reason are known, and an event says so."""
    bodies, translator = play(Recording(name))

    assert translator.failure is not None
    assert translator.failure.reason == reason
    assert [body for body in bodies if isinstance(body, Error) and body.fatal]


@pytest.mark.parametrize("recording", ALL, ids=lambda recording: recording.name)
def test_run_that_failed_is_in_the_list_of_failures(recording: Recording) -> None:
    assert (play(recording)[1].failure is not None) == (recording.name in FAILED)
