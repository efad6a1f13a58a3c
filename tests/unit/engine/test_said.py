"""What a stream said against how its process ended."""

from __future__ import annotations

from dataclasses import replace

import pytest

from caesar_core.agents.base import Denial, SilentTranslator, TokenUsage
from caesar_core.engine.ending import RunEnd
from caesar_core.engine.invocation import stop_plan
from caesar_core.engine.said import NOTHING_SAID, Said, own_exit_code
from caesar_core.protocol.event import Error

LIMIT = Error(message="The limit is used up", fatal=True, reason="quota")


def failed() -> Said:
    translator = SilentTranslator()
    translator.failure = LIMIT
    return Said(translator)


def test_an_exit_code_of_0_is_not_believed() -> None:
    end = failed().weighed(RunEnd("succeeded", exit_code=0))

    assert end == RunEnd("failed", "The limit is used up.", 0, None, "quota")


def test_another_exit_code_is_explained_once() -> None:
    end = failed().weighed(RunEnd("failed", "The agent exited with 1.", 1))

    assert end.sentence == "The agent exited with 1: The limit is used up."
    assert end.reason == "quota"
    assert failed().weighed(end) == end
    assert failed().tells_failure(end)


@pytest.mark.parametrize("status", ["cancelled", "timed_out"])
def test_who_stopped_it_is_the_cause(status: str) -> None:
    end = RunEnd(status, "Stopped.", reason="cancelled")  # type: ignore[arg-type]

    assert failed().weighed(end) == end
    assert not failed().tells_failure(end)
    assert own_exit_code(replace(end, exit_code=1)) is None


def test_the_stream_outweighs_what_the_agent_claims_to_have_taken() -> None:
    translator = SilentTranslator()
    translator.usage = TokenUsage(input_tokens=10, output_tokens=None, cost_usd=0.5)
    claimed = {"input_tokens": 1, "output_tokens": 2, "duration_ms": 3}

    assert Said(translator).usage(claimed) == {**claimed, "input_tokens": 10, "cost_usd": 0.5}
    assert NOTHING_SAID.usage(None) is None


def test_m4_zeros_of_a_run_without_a_model_are_unknown() -> None:
    translator = SilentTranslator()
    translator.usage = TokenUsage(0, 0, 0, 0.0)

    assert Said(translator).usage(None) is None


def test_many_denials_are_one_finding_of_bounded_length() -> None:
    translator = SilentTranslator()
    translator.denials = [Denial("Bash", f"rm {number}") for number in range(30)]
    ((severity, title, detail, _),) = Said(translator).findings("extracted")

    assert (severity, title) == ("high", "30 actions denied by the agent's permissions")
    assert detail.splitlines()[0] == "- Bash: rm 0"
    assert detail.splitlines()[-1] == "- and 10 more"
    assert Said(translator).findings("channel")[0][0] == "medium"


def test_some_programs_are_interrupted_before_they_are_terminated() -> None:
    assert [number.name for number, _ in stop_plan("SIGINT")] == ["SIGINT", "SIGTERM"]
    assert [number.name for number, _ in stop_plan("SIGTERM")] == ["SIGTERM"]
    assert sum(seconds for _, seconds in stop_plan("SIGINT")) < 10


@pytest.mark.parametrize(
    ("told", "kept"),
    [("ses_1.a-b", "ses_1.a-b"), ("--yolo", None), ("../x", None), ("", None), ("a" * 999, None)],
)
def test_only_what_can_be_a_name_is_a_session(told: str, kept: str | None) -> None:
    translator = SilentTranslator()
    translator.session_id = told

    assert Said(translator).session_id == kept
