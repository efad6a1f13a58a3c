"""Several agents, one objective: ranked by the printed rule, the proved one applied."""

from __future__ import annotations

import itertools
import os
import signal

import pytest

from caesar_core.board.ranking import RULE
from caesar_core.engine.launcher import LocalLauncher
from caesar_core.engine.race import RaceOrder
from caesar_core.engine.request import Request
from caesar_core.engine.service import Service
from caesar_core.errors import OperationError
from caesar_core.identity import ProcessRef
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from tests.integration.engine.conftest import Caesar, eventually, processes_of
from tests.integration.engine.racing import FIELD, prepare
from tests.integration.engine.test_terminals import terminal


def records_of(caesar: Caesar, agent: str = "") -> list[Record]:
    records = RecordStore(caesar.layout).scan().records
    return [record for record in records if agent in ("", record.agent)]


def test_a_race_ranks_by_proof_and_applies_the_right_one(caesar: Caesar) -> None:
    before = caesar.git("rev-parse", "HEAD").strip()
    arguments = prepare(caesar)
    ran = caesar(*arguments, "--apply", "best", "--json")

    assert ran.code == 0, ran.err
    found = {c["agent"]: c for c in ran.json["contestants"]}
    assert {agent: found[agent]["rank"] for agent in FIELD} == {
        "right": 1,
        "slow": 2,
        "cheat": 3,
        "wrong": 4,
    }
    assert (found["cheat"]["report_status"], found["cheat"]["contradicted"]) == ("success", True)
    assert (found["cheat"]["checks_passed"], found["cheat"]["checks_total"]) == (1, 2)
    assert (ran.json["rule"], ran.json["winner"]) == (RULE, found["right"]["task_id"])
    assert ran.json["applied"] is True
    assert caesar.git("diff", "--name-only") == "sum.sh\n"
    assert "$1 + $2" in (caesar.root / "sum.sh").read_text()
    base = caesar.git("rev-parse", "HEAD").strip()
    assert (ran.json["base_ref"], base == before) == (base, False)
    assert {record.base_ref for record in records_of(caesar)} == {base}
    assert {record.race_id for record in records_of(caesar)} == {ran.json["race_id"]}
    shown = caesar("race", "show", ran.json["race_id"][:6], "--json").json
    assert shown["contestants"] == ran.json["contestants"]


def test_a_race_in_a_terminal_shows_its_contestants_and_applies_the_right_one(
    caesar: Caesar,
) -> None:
    arguments = (*prepare(caesar, "300"), "--apply", "best", "--stop-when", "passed")
    with terminal(caesar, *arguments) as race:
        code = eventually(race.read_and_poll, lambda code: code is not None, 30)
        race.read()

    text = race.output.decode()
    assert code == 0
    assert RULE in text
    assert "check passed: sh test_sum.sh" in text
    assert "1 file applied." in text
    (right,) = records_of(caesar, "right")
    (slow,) = records_of(caesar, "slow")
    assert right.applied_at is not None
    assert slow.status == "cancelled"


def test_the_losers_are_stopped_although_nobody_watches(caesar: Caesar) -> None:
    caesar.declare("endless", "sleep 300")

    ran = caesar("race", "true", "--agent", "endless", "--agent", "shell", "--stop-when", "first",
                 "--detach", "--json")  # fmt: skip

    assert ran.code == 0
    endless, shell = (caesar.wait(task_id) for task_id in ran.json["task_ids"])
    assert (endless.status, shell.status) == ("cancelled", "succeeded")
    assert processes_of(endless.id) == []


def test_contestants_take_turns_where_there_are_fewer_slots(caesar: Caesar) -> None:
    caesar.layout.caesar.mkdir()
    caesar.layout.config.write_text("[policy]\nmax_parallel = 1\n")

    ran = caesar("race", "sleep 0.2", "--agent", "shell", "-n", "3", "--json")

    assert ran.code == 0
    spans = sorted((r.started_at or "", r.ended_at or "") for r in records_of(caesar))
    assert all(ended <= began for (_, ended), (began, _) in itertools.pairwise(spans))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_stops_every_contestant(caesar: Caesar, number: signal.Signals, code: int) -> None:
    race = caesar.start("race", "sleep 300", "--agent", "shell", "-n", "2", "--json")
    eventually(lambda: [r for r in records_of(caesar) if r.agent_process], lambda r: len(r) == 2)

    race.send_signal(number)

    assert race.wait(30) == code
    assert [record.status for record in records_of(caesar)] == ["cancelled", "cancelled"]
    assert [processes_of(record.id) for record in records_of(caesar)] == [[], []]


def test_p11_a_race_goes_on_when_its_terminal_is_closed(caesar: Caesar) -> None:
    race = caesar.start("race", caesar.at_the_gate, "--agent", "shell", "-n", "2")
    eventually(lambda: [r for r in records_of(caesar) if r.agent_process], lambda r: len(r) == 2)

    os.kill(race.pid, signal.SIGHUP)

    assert race.wait(20) == 129
    caesar.gate.touch()
    assert [caesar.wait(r.id).status for r in records_of(caesar)] == ["succeeded"] * 2


def test_a_dry_run_names_the_contestants_and_starts_nobody(caesar: Caesar) -> None:
    ran = caesar("race", "x", "--agent", "shell", "-n", "2", "--dry-run", "--json")

    told = [(c["agent"], c["isolation"]) for c in ran.json["contestants"]]
    assert (ran.code, told) == (0, [("shell", "worktree")] * 2)
    assert not caesar.layout.races.exists()


def test_nobody_wins_without_proof(caesar: Caesar) -> None:
    ran = caesar("race", "exit 3", "--agent", "shell", "-n", "2", "--apply", "best", "--json")

    assert (ran.code, ran.json["winner"], ran.json["applied"]) == (1, None, False)
    assert caesar("race", "apply", ran.json["race_id"]).code == 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--agent", "shell"), "2 to 64"),
        (("--agent", "shell", "--agent", "nobody"), "nobody"),
        (("--agent", "shell", "-n", "2", "--stop-when", "passed"), "checks"),
        ((), "Name who races"),
        (("--agent", "shell:opus", "--agent", "shell"), "takes no model"),
    ],
)
def test_a_race_that_is_refused_leaves_nothing(
    caesar: Caesar, arguments: tuple[str, ...], word: str
) -> None:
    ran = caesar("race", "true", *arguments, "--json")

    assert (ran.code, word in ran.err) == (2, True), ran.err
    assert not caesar.layout.tasks.exists()
    assert not caesar.layout.races.exists()


def test_races_are_listed_cancelled_and_applied_by_a_part_of_their_id(caesar: Caesar) -> None:
    arguments = ("--agent", "shell", "-n", "2", "--detach")
    first = caesar("race", "echo x >> a.txt", *arguments).out.strip()
    for record in records_of(caesar):
        caesar.wait(record.id)
    second = caesar("race", "sleep 300", *arguments).out.strip()
    chosen = next(r.id for r in records_of(caesar) if r.race_id == first)

    assert caesar("race", "cancel", second[:7], "--json").code == 0
    assert caesar("race", "apply", first[2:8], "--task", chosen).code == 0

    listed = caesar("race", "list", "--json").json["races"]
    assert [race["race_id"] for race in listed] == [second, first]
    assert [c["status"] for c in listed[0]["contestants"]] == ["cancelled"] * 2
    assert listed[1]["applied_task"] == chosen
    assert caesar("race", "show", "r_nothing").code == 2


class OneLauncher:
    """Starts one supervisor, and none after it."""

    def __init__(self) -> None:
        self.left = 1

    def launch(self, layout: Layout, task_id: str) -> ProcessRef:
        if not self.left:
            raise OperationError("No processes left.")
        self.left -= 1
        return LocalLauncher().launch(layout, task_id)


def test_a_race_that_cannot_be_started_whole_stops_those_that_were(caesar: Caesar) -> None:
    service = Service(caesar.root, launcher=OneLauncher())

    with pytest.raises(OperationError, match="No processes left"):
        service.start_race(RaceOrder(Request("sleep 300"), ("shell",), copies=2))

    (record,) = records_of(caesar)
    assert caesar.wait(record.id).status == "cancelled"
    assert processes_of(record.id) == []


def test_a_race_that_was_decided_unseen_is_settled_at_the_next_look(caesar: Caesar) -> None:
    caesar.declare("endless", "sleep 300")
    agents = ("--agent", "endless", "--agent", "shell", "--detach", "--json")
    started = caesar("race", "true", *agents).json
    endless, shell = started["task_ids"]
    caesar.wait(shell)
    path = caesar.layout.race(started["race_id"])
    path.write_text(path.read_text().replace('"never"', '"first"'))

    caesar("ps")

    assert caesar.wait(endless).status == "cancelled"
