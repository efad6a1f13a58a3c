"""`caesar watch --once`: the board as one frame of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from caesar_core.board.activity import activity
from caesar_core.board.glyphs import Glyphs, glyphs_for
from caesar_core.board.order import Row, arrange, count
from caesar_core.board.standing import Group
from caesar_core.board.views import BoardView, TaskView
from caesar_core.cli.output import Output, locale_encoding, stdout
from caesar_core.cli.tables import columns
from caesar_core.clock import SystemClock
from caesar_core.ids import shortest_prefixes
from caesar_core.store.layout import Layout
from caesar_core.text import one_line, visible
from caesar_core.watch.snapshot import snapshot

_TITLES: Final = {
    Group.NEEDS_YOU: "Needs you",
    Group.RUNNING: "Running",
    Group.FINISHED: "Finished",
}
_FINISHED_SHOWN: Final = 10


def print_frame(
    layout: Layout, ids: Sequence[str] | None, race: str | None, *, as_json: bool
) -> int:
    """Print the board as it is now."""
    board, now, out = snapshot(layout, ids), SystemClock().now(), stdout()
    tasks = [task for task in board if (task.facts.race_id or "").startswith(race or "")]
    if as_json:
        out.json({"tasks": [_as_json(task, now) for task in tasks]})
        return 0
    for line in _frame(layout.root, board, tasks, now, out):
        out.line(line)
    return 0


def _as_json(task: TaskView, now: datetime) -> dict[str, Any]:
    facts = task.facts
    return {
        "id": facts.id,
        "agent": facts.agent,
        "role": facts.role,
        "status": facts.status,
        "report_status": facts.report_status,
        "objective": facts.objective,
        "activity": activity(task, now).to_json(),
    }


def _frame(
    root: Path, board: BoardView, tasks: Sequence[TaskView], now: datetime, out: Output
) -> Iterator[str]:
    glyphs = glyphs_for(locale_encoding())
    rows = arrange(tasks, now)
    counts = count(rows)
    yield out.paint("bold", f"caesar  {visible(str(root))}") + (
        f"  {counts[Group.NEEDS_YOU]} need you {glyphs.bullet} {counts[Group.RUNNING]} running"
        f" {glyphs.bullet} {counts[Group.FINISHED]} finished"
    )
    if not tasks and list(board):
        yield "No task fits; `caesar ps --all` lists every task."
    elif not tasks:
        yield 'No task yet. `caesar run --agent shell "make test"` starts one, `caesar demo` two.'
    short = shortest_prefixes(task.id for task in tasks)
    for group in Group:
        shown = [row for row in rows if row.group is group]
        if shown:
            yield ""
            yield out.paint("accent", _TITLES[group])
            cut = shown[:_FINISHED_SHOWN] if group is Group.FINISHED else shown
            cells = [_cells(row, short, now, glyphs) for row in cut]
            width = out.width if out.is_terminal else 120
            yield from columns(("",) * len(cells[0]), cells, width)[1:]
            if len(cut) < len(shown):
                yield f"  and {len(shown) - len(cut)} more: caesar ps --all"
    if board.bad_lines or board.bad_records:
        yield f"{board.bad_lines} bad lines, {len(board.bad_records)} damaged records"


def _cells(row: Row, short: dict[str, str], now: datetime, glyphs: Glyphs) -> tuple[str, ...]:
    facts = row.view.facts
    size = "" if facts.insertions is None else f"+{facts.insertions} -{facts.deletions or 0}"
    text = activity(row.view, now).text if facts.is_active else facts.objective
    return (
        row.standing.mark(glyphs),
        short[row.view.id],
        one_line(facts.agent, 20),
        row.standing.word + (" (applied)" if facts.applied_at else ""),
        size,
        one_line(text, 100),
    )
