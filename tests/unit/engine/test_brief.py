"""What an agent is told."""

from __future__ import annotations

from caesar_core.engine.brief import compose_brief
from caesar_core.protocol.task import Task


def task(**values: object) -> Task:
    return Task.model_validate(
        {
            "id": "t_1",
            "created_at": "2026-01-01T00:00:00.000Z",
            "agent": "x",
            "objective": "Mend ünïcode 日本",
            "mode": "write",
            "isolation": "worktree",
            "workspace": "/w",
            "deadline_ms": 1,
            "report_path": "/r/report.json",
            "events_path": "/e",
            **values,
        }
    )


def test_case_22_read_only_bans_writing_first() -> None:
    brief = compose_brief(task(mode="read-only", constraints=("mine",)))

    constraints = brief.partition("## Constraints")[2]
    assert constraints.index("Read only") < constraints.index("mine")
    assert "Read only" not in compose_brief(task())


def test_case_23_network_is_mentioned_only_when_it_is_cut() -> None:
    assert "network" in compose_brief(task(network=False)).partition("## Constraints")[2].lower()
    assert "network" not in compose_brief(task()).lower()


def test_case_24_file_tier_names_path_and_variable() -> None:
    brief = compose_brief(task())

    assert "/r/report.json" in brief
    assert "$CAESAR_REPORT_PATH" in brief


def test_case_24_channel_tier_names_tools_and_the_file_behind_them() -> None:
    tools = ("report_progress", "ask_orchestrator", "submit_report")
    brief = compose_brief(task(channel={"command": "caesar", "args": ("channel",)}))

    assert all(f"`{tool}`" in brief for tool in tools)
    assert "/r/report.json" in brief
    assert not any(tool in compose_brief(task()) for tool in tools)


def test_case_76_role_and_context_are_parted_by_a_rule() -> None:
    both = compose_brief(task(context="About the parser."), role_prompt="You review.\n")
    alone = compose_brief(task(), role_prompt="You review.")

    assert "## Context\n\nYou review.\n\n---\n\nAbout the parser.\n" in both
    assert "---" not in alone.partition("## Constraints")[0]
    assert "## Context" not in compose_brief(task())


def test_case_25_words_are_carried_verbatim() -> None:
    brief = compose_brief(
        task(context="Kontext äöü", constraints=("k1",), acceptance_criteria=("c1",)),
        role_prompt="You review.",
    )

    for words in ("Mend ünïcode 日本", "Kontext äöü", "- k1", "- c1"):
        assert words in brief
    assert "You review.\n\n---\n\nKontext äöü" in brief
