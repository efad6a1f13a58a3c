"""The answer to one request: pure, from the scenario's name and the request alone.

Stateless on purpose: the step to play is the number of rounds of tool results after the last words
of a person, so that retries, side requests and resumed sessions need no memory here.
"""

from __future__ import annotations

import json
import re
from typing import Final
from uuid import uuid4

from tests.fakes.model.choose import Chosen, Toolbox
from tests.fakes.model.complete import complete
from tests.fakes.model.script import TITLE, Act, Drop, Report, Say, Step, fenced, step_of
from tests.fakes.model.turn import Call, Json, Offered, Turn, Wire

# The brief names it, so the model need not understand what each CLI says of its surroundings.
_WORKSPACE: Final = re.compile(r"Workspace: (/[^\s\"\\]+)")


def next_step(wire: Wire, scenario: str, body: Json) -> Step:
    """Return the step to play.

    Raises:
        KeyError: there is no such scenario.
    """
    step = step_of(scenario, wire.rounds(body))
    if not isinstance(step, Act | Say | Report):
        return step
    return TITLE if Toolbox(wire.offered(body), None).is_empty else step


def make_turn(wire: Wire, step: Act | Say | Report | Drop, body: Json) -> Turn:
    """Return what the model answers in a step."""
    identity = uuid4().hex[:12]
    if isinstance(step, Drop):
        return Turn(identity, broken=True)
    if isinstance(step, Say):
        return Turn(identity, step.text)
    found = _WORKSPACE.search(json.dumps(body))
    toolbox = Toolbox(wire.offered(body), found[1] if found else None)
    if isinstance(step, Report):
        return _report(identity, wire, step, body, toolbox.structured)
    calls = [_call(toolbox.choose(action)) for action in step.actions]
    return Turn(identity, step.say, step.think, calls)


def _report(
    identity: str, wire: Wire, step: Report, body: Json, structured: Offered | None
) -> Turn:
    schema = wire.wanted_schema(body)
    if schema is not None:
        return Turn(identity, json.dumps(complete(step.report, schema)))
    if structured is None:
        return Turn(identity, fenced(step.report))
    report = complete(step.report, structured.schema or {})
    return Turn(identity, calls=[_call((structured, report, None))])


def _call(chosen: Chosen) -> Call:
    tool, arguments, free = chosen
    return Call(f"call_{uuid4().hex[:12]}", tool.name, arguments, free, tool.namespace)
