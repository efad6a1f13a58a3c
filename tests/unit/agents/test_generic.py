"""Declared programs: tokens, the ways of the brief, what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caesar_core.agents.base import Job
from caesar_core.agents.generic import BadAgentError, GenericAgent

JOB = Job(
    task_id="t_1",
    brief="do it",
    brief_file=Path("/t/brief.md"),
    task_dir=Path("/t"),
    report_path=Path("/t/report.json"),
    workspace=Path("/w"),
    mode="write",
    network=True,
    model=None,
    role=None,
    deadline_ms=1,
    extra=("--last",),
)


def test_tokens_are_filled_in() -> None:
    agent = GenericAgent(
        "a",
        "tool",
        ("{{prompt}}", "-f={{promptFile}}", "{{ workspace }}", "{{taskDir}}", "{{reportPath}}"),
    )

    invocation = agent.invoke(JOB)

    assert invocation.argv == (
        "tool", "do it", "-f=/t/brief.md", "/w", "/t", "/t/report.json", "--last",
    )  # fmt: skip
    assert invocation.cwd == Path("/w")
    assert "do it" not in invocation.shown


def test_case_45_token_without_value_removes_the_whole_argument() -> None:
    agent = GenericAgent("a", "tool", ("{{prompt}}", "--model={{model}}"))

    assert agent.invoke(JOB).argv == ("tool", "do it", "--last")
    assert "--model=m" in agent.invoke(replace(JOB, model="m")).argv


def test_case_46_model_token_grants_the_capability() -> None:
    assert GenericAgent("a", "t", ("{{model}}",)).capabilities.model
    assert not GenericAgent("a", "t", ("{{prompt}}",)).capabilities.model


def test_case_47_network_arguments_only_when_the_network_is_on() -> None:
    agent = GenericAgent("a", "t", prompt="none", network_args=("--net",))

    assert agent.capabilities.network == "toggle"
    assert agent.invoke(JOB).argv == ("t", "--net", "--last")
    assert agent.invoke(replace(JOB, network=False)).argv == ("t", "--last")


@pytest.mark.parametrize(
    "agent",
    [
        GenericAgent("a", "t", ("{{promt}}",), prompt="none"),
        GenericAgent("a", "t", prompt="none", network_args=("{{promt}}",)),
    ],
)
def test_case_48_unknown_token_is_refused_and_the_known_ones_named(agent: GenericAgent) -> None:
    with pytest.raises(BadAgentError) as caught:
        agent.check()

    assert "{{promt}}" in caught.value.message
    assert "{{promptFile}}" in caught.value.hint


def test_case_49_way_for_the_brief_is_required() -> None:
    with pytest.raises(BadAgentError) as caught:
        GenericAgent("a", "t", ("--yes",)).invoke(JOB)

    for way in ("{{promptFile}}", "{{prompt}}", 'prompt = "stdin"', 'prompt = "none"'):
        assert way in caught.value.hint


def test_case_54_task_directory_as_working_directory() -> None:
    agent = GenericAgent("a", "t", prompt="stdin", cwd_mode="flag")

    assert agent.invoke(JOB).cwd == Path("/t")
    assert agent.invoke(JOB).stdin == Path("/t/brief.md")


def test_braces_in_the_brief_are_not_tokens() -> None:
    agent = GenericAgent("a", "t", ("{{prompt}}",))

    assert agent.invoke(replace(JOB, brief="{{model}} \\1 {{x}}")).argv[1] == "{{model}} \\1 {{x}}"
