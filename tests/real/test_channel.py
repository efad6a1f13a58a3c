"""Real agents talk back through the return channel that was injected for their task."""

from __future__ import annotations

import pytest

from caesar_core.agents.registry import builtin_agents
from tests.integration.engine.conftest import eventually
from tests.real.clis import Cli
from tests.real.project import RealProject

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(autouse=True)
def takes_servers(cli: Cli) -> None:
    able = {agent.id: agent.capabilities.mcp_injection for agent in builtin_agents()}
    if able[cli.id] == "none":
        pytest.skip(f"nothing can be injected into {cli.id}")


def test_s15_a_report_is_handed_in_through_the_channel(real: RealProject) -> None:
    run = real.run("channel", "--channel")
    assert run.ran.code == 0, run.ran.err
    assert run.result["report_source"] == "channel"
    assert run.report["summary"] == "Scripted: through the channel."
    assert run.record["report_via"] == "channel"


def test_s17_a_question_waits_for_its_answer(real: RealProject) -> None:
    real.scenario("ask")
    caesar = real.caesar
    task_id = caesar.detach("Do what the script says.", "--channel", agent=real.cli.id)
    listed = lambda: caesar("questions", "--json").json["questions"]  # noqa: E731
    [question] = eventually(listed, bool, bound=40)
    assert (question["question"], question["options"]) == ("Which colour?", ["red", "blue"])
    assert caesar("answer", task_id, question["id"], "blue").code == 0
    record = caesar.wait(task_id)
    assert (record.status, record.report_status) == ("succeeded", "success")
    assert any("blue" in str(seen) for seen in real.requests())
