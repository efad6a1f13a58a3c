"""Races, combined results, tasks in place, agents' own commands and the MCP server, dying."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from caesar_core.clock import SystemClock
from caesar_core.engine.service import Service
from caesar_core.identity import current
from caesar_core.servers import results
from caesar_core.servers.main import MainTools
from caesar_core.store import mailbox
from caesar_tui.actions import Actions
from caesar_tui.messages import AnswerGiven, Plan
from tests.kill.judging import MERGED, done, ordered, said, tree
from tests.kill.remains import faults, remains
from tests.kill.steps import Death
from tests.kill.sweep import Scenario
from tests.kill.world import CONFIG, World

_IN_PLACE: Final = CONFIG.replace("[policy]", "[policy]\nallow_inplace_write = true")
_RACE: Final = ("race", "do it", "--agent", "codex", "-n", "2", "--detach")


def _after_in_place(world: World) -> list[str]:
    """The agent's writes stay, those of a first attempt as well; the rest is the user's."""
    code = world.command("ps")
    world.until_quiet()
    [record] = world.records
    wrong = [] if record.status == "succeeded" else [f"ended as {record.status} {record.reason}"]
    written = (world.sandbox.root / "a.txt").read_bytes()
    if written not in {b"one\nagent\n", b"one\nagent\nagent\n"}:
        wrong.append(f"a.txt holds {written!r}")
    own = tree(world, {"a.txt": written, "new.txt": b"new\n"})
    return [*said(code), *wrong, *own, *remains(world)]


def _after_a_race(world: World) -> list[str]:
    """Each contestant runs to its end or was never there, and the race can be read."""
    code = world.command("ps")
    world.until_quiet()
    wrong = [fault for record in world.records for fault in faults(world, record, lost=True)]
    races = [race.id for race in Service(world.sandbox.root).races()]
    shown = [world.command("race", "list"), *(world.command("race", "show", r) for r in races)]
    if len(races) > 1 or (world.records and not races):
        wrong.append(f"races {races} of {len(world.records)} tasks")
    wrong += [fault for code in shown for fault in said(code)]
    return [*said(code), *wrong, *tree(world, {}), *remains(world)]


def _raced(folder: Path) -> World:
    world = World.make(folder)
    assert world.command(*_RACE) == 0, world.log
    world.until_quiet()
    return world


def _race_apply(world: World, death: Death | None = None) -> int:
    [race] = Service(world.sandbox.root).races()
    return world.command("race", "apply", race.id, death=death)


def _after_a_race_was_applied(world: World) -> list[str]:
    code = _race_apply(world)
    applied = [record.id for record in world.records if record.applied_at]
    wrong = [] if len(applied) == 1 else [f"applied are {applied}"]
    return [*said(code), *wrong, *tree(world, MERGED), *remains(world)]


def _two_done(folder: Path) -> World:
    world = done(folder)
    first = world.task_id
    assert world.command("run", "--agent", "codex", "again", "--detach", launches=False) == 0
    [second] = [record.id for record in world.records if record.id != first]
    assert world.supervise(task_id=second) == 0, world.log
    return world


def _picks(world: World, death: Death | None = None) -> int:
    first, second, *_ = sorted(
        (record for record in world.records if record.status == "succeeded" and record.ended_at),
        key=lambda record: record.created_at,
    )
    takes = ("--take", f"{first.id}:a.txt", "--take", f"{second.id}:new.txt")
    return world.command("pick", *takes, "--check", "grep -q agent a.txt", death=death)


def _after_a_pick(world: World) -> list[str]:
    looked = world.command("ps")
    world.until_quiet()
    left = remains(world)
    code = _picks(world)
    combined = max(world.records, key=lambda record: record.created_at)
    wrong = [] if combined.outcome else ["nothing was combined"]
    shown = world.command("diff", combined.id)
    return [
        *said(looked),
        *left,
        *said(code),
        *said(shown),
        *wrong,
        *tree(world, {}),
        *remains(world),
    ]


def _inside(*words: str, fine: int = 0) -> Callable[[World, Death | None], int]:
    """Return how an agent calls a command; `fine` is the exit code that it may have."""

    def act(world: World, death: Death | None) -> int:
        code = world.command(*words, death=death, task_id=world.task_id)
        return 0 if code == fine else code

    return act


def _after_an_agents_command(world: World) -> list[str]:
    """What it had begun to say is said, or was never said; the task goes on as any other."""
    listed = world.command("questions")
    code = world.command("ps")
    world.until_quiet()
    [record] = world.records
    wrong = [] if record.status == "succeeded" else [f"ended as {record.status} {record.reason}"]
    return [*said(listed), *said(code), *wrong, *tree(world, {}), *remains(world)]


def _asked(folder: Path) -> World:
    """Return a world in which a living agent waits for an answer."""
    world = ordered(folder)
    files = world.layout.task(world.task_id)
    mailbox.ask(files, "Which?", ("this", "that"), SystemClock(), asker=current())
    return world


def _question(world: World) -> mailbox.QuestionState:
    [question] = mailbox.questions(world.layout.task(world.task_id))
    return question


def _answers(world: World, death: Death | None) -> int:
    question = _question(world).file.id
    return world.command("answer", world.task_id, question, "this", death=death, launches=False)


def _answers_by_mcp(world: World, death: Death | None) -> int:
    given = results.AnswerArguments(
        task_id=world.task_id, question_id=_question(world).file.id, answer="this"
    )
    tools = MainTools(world.sandbox.root)
    return world.process(lambda: tools.answer(given), death, launches=False)


def _after_an_answer(world: World) -> list[str]:
    """It was given, once; or it can be given now."""
    question = _question(world).file.id
    again = world.command("answer", world.task_id, question, "that", launches=False)
    answer = _question(world).answer
    wrong = [] if answer == ("that" if again == 0 else "this") else [f"the answer is {answer}"]
    return [*wrong, *_after_an_agents_command(world)]


def _delegates(world: World, death: Death | None) -> int:
    given = results.DelegateArguments(objective="do it", agent="codex")
    return world.process(lambda: MainTools(world.sandbox.root).delegate(given), death)


def _after_an_order(world: World) -> list[str]:
    code = world.command("ps")
    world.until_quiet()
    wrong = [fault for record in world.records for fault in faults(world, record, lost=True)]
    return [*said(code), *wrong, *tree(world, {}), *remains(world)]


def _applies_by_mcp(world: World, death: Death | None) -> int:
    given = results.TaskArguments(task_id=world.task_id)
    return world.process(lambda: MainTools(world.sandbox.root).apply(given), death)


def _after_an_apply_by_mcp(world: World) -> list[str]:
    code = _applies_by_mcp(world, None)
    [record] = world.records
    wrong = [] if record.applied_at else ["the record does not say that it was applied"]
    return [*said(code), *wrong, *tree(world, MERGED), *remains(world)]


def _dashboard(world: World) -> Actions:
    return Actions(lambda: Service(world.sandbox.root), lambda _: None)


def _applies_on_screen(world: World, death: Death | None) -> int:
    plan = Plan("apply", world.task_id, "", ready=True)
    return world.process(lambda: _dashboard(world).carry_out(plan), death)


def _answers_on_screen(world: World, death: Death | None) -> int:
    given = AnswerGiven(world.task_id, _question(world).file.id, "this")
    return world.process(lambda: _dashboard(world).answer(given), death, launches=False)


FURTHER: Final = (
    Scenario(
        "supervisor of a task in place",
        lambda folder: ordered(folder, "", "--isolation", "inplace", config=_IN_PLACE),
        World.supervise,
        _after_in_place,
        hears=False,
    ),
    Scenario(
        "race", World.make, lambda world, death: world.command(*_RACE, death=death), _after_a_race
    ),
    Scenario("race apply", _raced, _race_apply, _after_a_race_was_applied),
    Scenario("pick", _two_done, _picks, _after_a_pick),
    Scenario(
        "agent's ask",
        ordered,
        _inside("ask", "Which?", "--timeout", "50ms", fine=3),
        _after_an_agents_command,
    ),
    Scenario("agent's progress", ordered, _inside("progress", "half"), _after_an_agents_command),
    Scenario(
        "agent's report",
        ordered,
        _inside("report", "--status", "success", "--summary", "handed in"),
        _after_an_agents_command,
    ),
    Scenario("answer", _asked, _answers, _after_an_answer),
    Scenario("MCP answer", _asked, _answers_by_mcp, _after_an_answer),
    Scenario("MCP delegate", World.make, _delegates, _after_an_order),
    Scenario("MCP apply", done, _applies_by_mcp, _after_an_apply_by_mcp),
    Scenario("dashboard's answer", _asked, _answers_on_screen, _after_an_answer),
    Scenario("dashboard's apply", done, _applies_on_screen, _after_an_apply_by_mcp),
)
