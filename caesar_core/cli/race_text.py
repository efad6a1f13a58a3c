"""Races and comparisons as lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caesar_core.board.race import ContestantView, RaceView
from caesar_core.board.ranking import RULE
from caesar_core.cli.output import Output
from caesar_core.cli.tables import columns
from caesar_core.ids import shortest_prefixes
from caesar_core.text import human_duration, one_line

_HEADER: Final = ("#", "ID", "AGENT", "RESULT", "CHECKS", "DIFF", "FILES", "TIME", "FLAGS")


def standings_lines(race: RaceView, out: Output) -> Iterator[str]:
    """Yield the contestants, best first, and the rule they are ranked by."""
    short = shortest_prefixes(race.task_ids)
    rows = [_cells(contestant, short) for contestant in race.ranked]
    header, *lines = columns(_HEADER, rows, out.width if out.is_terminal else 160)
    yield out.paint("dim", header)
    for contestant, line in zip(race.ranked, lines, strict=True):
        yield out.paint("ok", line) if contestant.task_id == race.winner else line
    yield out.paint("dim", f"Ranked by: {RULE}")


def result_word(contestant: ContestantView) -> str:
    """Return in a word or two what came of a contestant."""
    if contestant.is_active:
        return contestant.status
    if contestant.contradicted:
        return "contradicted"
    if contestant.status != "succeeded":
        return contestant.status.replace("_", " ")
    return contestant.report_status or "no report"


def _cells(contestant: ContestantView, short: dict[str, str]) -> tuple[str, ...]:
    took, size = contestant.duration_ms, contestant.insertions
    checks = f"{contestant.checks_passed}/{contestant.checks_total}"
    declared = "" if contestant.verified or contestant.is_active else "declared only"
    return (
        "-" if contestant.rank is None else str(contestant.rank),
        short[contestant.task_id],
        one_line(contestant.label, 30),
        f"{result_word(contestant)}{' (applied)' if contestant.applied else ''}",
        checks if contestant.checks_total else "-",
        "-" if size is None else f"+{size} -{contestant.deletions or 0}",
        "-" if contestant.files is None else str(contestant.files),
        "-" if took is None else human_duration(took / 1000),
        " ".join((*contestant.flags, *([declared] if declared else []))),
    )
