"""`caesar race`: several agents, one objective, one base; the one that provably works is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from caesar_core.cli.ci_options import CiOutputs, ci_options
from caesar_core.cli.common import complete_race, json_option, root_option, service_at
from caesar_core.cli.conflicts import tell_conflicts
from caesar_core.cli.consent import ask_for_trust
from caesar_core.cli.output import stderr, stdout
from caesar_core.errors import EXIT_CONFLICT, EXIT_FAILED, EXIT_OK, CaesarError
from caesar_core.text import counted, one_line, visible

if TYPE_CHECKING:
    from caesar_core.board.race import RaceView
    from caesar_core.engine.applying import ApplyResult
    from caesar_core.engine.service import Service

_START: Final = "start"


class RaceGroup(click.Group):
    """A group whose first word may also be an objective: then the race is started."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take `start` for granted where no command of the group is named."""
        if args and args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return _START, self.commands[_START], args

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave flags to the commands, so that they may stand before the objective."""
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = [_START, *args]
        return super().parse_args(ctx, args)


@click.group("race", cls=RaceGroup, no_args_is_help=False)
def command() -> None:
    """Let several agents work on one objective, from one commit, and take the best proved one.

    `caesar race "objective" --agent A --agent B:MODEL` starts one; the commands below look at
    races that were started.
    """


@command.command(_START, short_help="Start a race (the word may be left out).")
@click.argument("objective", required=False)
@click.option("--objective-file", metavar="F", help="Read the objective from a file.")
@click.option("--agent", "agents", metavar="ID[:MODEL]", multiple=True, help="Who; repeatable.")
@click.option("--role", metavar="R", help="The profile; without --agent all of its agents race.")
@click.option("-n", "copies", metavar="N", type=click.IntRange(1, 64), default=1, help="Of each.")
@click.option("--check", metavar="CMD", multiple=True, help="Run it on each result; repeatable.")
@click.option(
    "--stop-when",
    type=click.Choice(["passed", "first", "never"]),
    default="never",
    help="Whose end stops the others: who passed every check, or the first success.",
)
@click.option("--apply", "take", type=click.Choice(["best"]), help="Apply the winner.")
@click.option("--mode", type=click.Choice(["read-only", "write"]), help="What they may do.")
@click.option("--network", type=click.Choice(["auto", "on", "off"]), help="May they reach out.")
@click.option("--timeout", metavar="D", help="For each: 90s, 10m, 2h.")
@click.option("--context", metavar="TEXT|@FILE", default="", help="What they should know.")
@click.option("--constraint", metavar="T", multiple=True, help="A rule to keep; repeatable.")
@click.option("--criterion", metavar="T", multiple=True, help="When it is done; repeatable.")
@click.option("--channel", is_flag=True, help="Let each ask and report by an MCP server.")
@click.option("--detach", is_flag=True, help="Return at once; `caesar race show` tells more.")
@click.option("--dry-run", is_flag=True, help="Say who would race, and how; start nobody.")
@click.option("--trust", is_flag=True, help="Agree to the commands of this repository.")
@click.option("--ndjson", is_flag=True, help="Each event as a line of JSON, then the result.")
@ci_options
@json_option
@root_option
def start(root: str | None, **options: Any) -> int:
    """Start a race for OBJECTIVE, show it, rank the results by the printed rule."""
    service = service_at(root)
    if options["take"] and options["detach"]:
        raise CaesarError("--apply needs the end of the race.", "Leave --detach out.")
    as_json = options["as_json"] or options["ndjson"]
    if options["dry_run"]:
        return _tell_plan(service, _order(options), as_json=as_json)
    outputs = CiOutputs.prepare(options)
    if options["trust"]:
        service.agree()
    elif not as_json and not outputs.no_input:
        ask_for_trust(service)
    order = _order(options)
    expected = "" if as_json else service.estimate_race(service.plan_race(order)).sentence()
    if expected:
        stderr().line(f"note: {expected}")
    race, resolutions = service.start_race(order)
    for warning in dict.fromkeys(w for r in resolutions for w in r.warnings):
        stderr().line(visible(f"note: {warning}"))
    if options["detach"]:
        _tell_started(race, as_json=as_json)
        return EXIT_OK
    return _to_the_end(
        service,
        race,
        take=bool(options["take"]),
        as_json=as_json,
        events_as_json=options["ndjson"],
        outputs=outputs,
    )


def _order(options: dict[str, Any]) -> Any:
    from caesar_core.cli.commands.run import context_of, objective_of
    from caesar_core.engine.budget import parse_budget
    from caesar_core.engine.depth import current_depth
    from caesar_core.engine.race import RaceOrder
    from caesar_core.engine.request import Request

    request = Request(
        objective=objective_of(options["objective"], options["objective_file"]),
        role=options["role"],
        mode=options["mode"],
        network=options["network"],
        timeout=options["timeout"],
        context=context_of(options["context"]),
        constraints=options["constraint"],
        acceptance_criteria=options["criterion"],
        checks=options["check"],
        budget=parse_budget(options["budget"]),
        depth=current_depth() + 1,
        channel=options["channel"],
    )
    return RaceOrder(request, options["agents"], options["copies"], options["stop_when"])


def _tell_plan(service: Service, order: Any, *, as_json: bool) -> int:
    resolutions = service.plan_race(order)
    planned = [{d.field: d.value for d in resolution.decisions} for resolution in resolutions]
    estimate = service.estimate_race(resolutions)
    out = stdout()
    if as_json:
        out.json({"contestants": planned, "estimate": estimate.to_json()})
    for number, values in enumerate([] if as_json else planned, 1):
        model = f":{values['model']}" if values["model"] else ""
        network = "network" if values["network"] else "no network"
        out.line(visible(f"{number}. {values['agent']}{model}  {values['mode']} · {network}"))
    if not as_json:
        out.line(estimate.sentence() or "What it takes is unknown: no earlier task says.")
    return EXIT_OK


def _tell_started(race: Any, *, as_json: bool) -> None:
    if as_json:
        ids = list(race.file.task_ids)
        stdout().json({"race_id": race.id, "base_ref": race.file.base_ref, "task_ids": ids})
    else:
        stdout().line(race.id)


def _to_the_end(
    service: Service,
    race: Any,
    *,
    take: bool,
    as_json: bool,
    events_as_json: bool,
    outputs: CiOutputs,
) -> int:
    from caesar_core.cli.follow import Signals
    from caesar_core.cli.race_follow import exit_code_of_signals, show_race

    tasks = list(race.file.task_ids)
    stand_ins = outputs.stand_ins(service, tasks)
    signals = Signals()
    with signals:
        show_race(
            service,
            race,
            quiet=as_json,
            obey=signals,
            events_as_json=events_as_json,
            stand_ins=list(stand_ins.values()),
        )
    stopped = exit_code_of_signals(signals)
    view = race.view()
    applied = None
    if take and view.winner and stopped is None:
        applied = service.apply(view.winner)
        view = race.view()
    _print(service, view, applied, as_json=as_json)
    code = EXIT_OK if view.winner else EXIT_FAILED
    if applied is not None and not applied.applied:
        code = EXIT_CONFLICT
    code = code if stopped is None else stopped
    if not view.is_over:
        return code
    alone = [n.unanswered for task, n in stand_ins.items() if view.winner in (None, task)]
    return outputs.finish(service, tasks, code, chosen=view.winner, unanswered=sum(alone))


def _print(service: Service, view: RaceView, applied: ApplyResult | None, *, as_json: bool) -> None:
    from caesar_core.engine.results import conflict_json

    out = stdout()
    if as_json:
        document = service.race_json(view)
        if applied is not None:
            document |= {"applied": applied.applied, "applied_task": view.applied}
            document["conflicts"] = [conflict_json(c) for c in applied.conflicts]
        out.json(document)
        return
    from caesar_core.cli.race_text import standings_lines

    out.line(f"{out.paint('bold', view.id)}  {one_line(view.objective, 100)}")
    for line in standings_lines(view, out):
        out.line(line)
    if view.is_over and view.winner is None:
        out.line("Nobody wins: no result is proved.")
    if applied is not None:
        tell_conflicts(map(conflict_json, applied.conflicts), stderr())
        out.line(f"{out.paint('ok', str(view.winner)[:10])}: {applied.message}")
    elif view.winner and not view.applied:
        out.line(out.paint("dim", f"  caesar race apply {view.id} · caesar compare {view.id}"))


@command.command("show", short_help="The standings of a race.")
@click.argument("race", metavar="RACE", shell_complete=complete_race)
@json_option
@root_option
def show(race: str, root: str | None, *, as_json: bool) -> int:
    """Print the standings of RACE."""
    service = service_at(root)
    service.adopt()
    _print(service, service.race(race).view(), None, as_json=as_json)
    return EXIT_OK


@command.command("list", short_help="The races of this project.")
@json_option
@root_option
def list_races(root: str | None, *, as_json: bool) -> int:
    """List the races of this project, newest first."""
    service = service_at(root)
    views = service.races()
    out = stdout()
    if as_json:
        out.json({"races": [service.race_json(view) for view in views]})
        return EXIT_OK
    for view in views:
        state = f"winner {view.winner[:10]}" if view.winner else "no winner"
        word = state if view.is_over else f"{view.done}/{view.total} done"
        out.line(f"{view.id}  {word:<20}  {one_line(view.objective, 80)}")
    if not views:
        out.line('No race yet. Start one: caesar race "…" --agent A --agent B')
    return EXIT_OK


@command.command("cancel", short_help="Stop every contestant of a race.")
@click.argument("race", metavar="RACE", shell_complete=complete_race)
@json_option
@root_option
def cancel(race: str, root: str | None, *, as_json: bool) -> int:
    """Stop what still runs of RACE, and wait for its end."""
    found = service_at(root).race(race)
    stopped = found.cancel()
    if as_json:
        stdout().json({"race_id": found.id, "cancelled": stopped})
    else:
        stdout().line(f"{found.id}: {counted(len(stopped), 'contestant')} stopped.")
    return EXIT_OK


@command.command("apply", short_help="Apply the winner of a race, or another contestant.")
@click.argument("race", metavar="RACE", shell_complete=complete_race)
@click.option("--task", metavar="ID", help="This contestant instead of the winner.")
@json_option
@root_option
def apply(race: str, task: str | None, root: str | None, *, as_json: bool) -> int:
    """Bring the winner's changes into your tree, as `caesar apply` does."""
    from caesar_core.cli.commands.apply import print_apply

    service = service_at(root)
    view = service.race(race).view()
    if task is None and not view.is_over:
        raise CaesarError(f"{view.id} is not over.", "Wait, or name a contestant with --task.")
    chosen = task or view.winner
    if chosen is None:
        raise CaesarError(
            f"Nobody wins {view.id}: no result is proved.",
            "`caesar race show` tells why; --task takes one all the same.",
            exit_code=EXIT_FAILED,
        )
    result = service.apply(chosen)
    print_apply(result, as_json=as_json)
    return EXIT_CONFLICT if result.conflicts else EXIT_OK
