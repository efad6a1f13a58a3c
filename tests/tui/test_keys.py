from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input

from caesar_core.protocol.event import Message, ToolUse
from caesar_core.repo.collisions import Collision
from caesar_core.repo.merge import Conflict
from caesar_core.store.record_store import RecordStore
from caesar_tui.screens import board as board_module
from caesar_tui.screens.board import BoardScreen
from caesar_tui.screens.confirm import ConfirmScreen
from caesar_tui.screens.help import HelpScreen
from tests.tui.drive import board, opened, press, settled, shown, status, told, until
from tests.tui.sample import Sample


async def test_the_first_concern_is_chosen_and_arrows_move(sample: Sample) -> None:
    async with opened(sample) as pilot:
        table = board(pilot).table
        assert table.chosen == "t_91bc"
        await press(pilot, "down", "j")
        assert table.chosen == "t_88d1"
        await press(pilot, "up", "home", "k")
        assert table.chosen == "t_91bc"
        await press(pilot, "end")
        assert table.chosen == "t_11aa"
        await press(pilot, "pageup")
        assert table.chosen == "t_91bc"


async def test_the_stream_of_the_chosen_task_is_shown(sample: Sample) -> None:
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_7f3a"
        await settled(pilot)
        text = shown(board(pilot).pane.stream)
        assert "     13s ▸ shell    pnpm test" in text
        assert '✓ shell    rg "empty input"' in text
        assert "1.2s" in text


async def test_a_applies_after_the_sheet_was_accepted(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "end", "a")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        sheet = shown(pilot.app.screen.query_one("#lines Static"))
        assert "~ src/parser.py  +6 -3, merged with your edits" in sheet
        assert "~ tests/test_parser.py  +2 -0" in sheet
        assert sample.engine.asked == [("preflight", "t_11aa"), ("diff", "t_11aa")]
        await press(pilot, "enter")
        assert sample.engine.asked[-1] == ("apply", "t_11aa")
        assert told(pilot) == []
        assert "applied 2 files · u undoes  ·  live" in status(pilot)
        await press(pilot, "u")
        assert "applied" not in status(pilot)


async def test_escape_leaves_the_sheet_and_nothing_happens(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "end", "a", "escape")
        assert [what for what, _ in sample.engine.asked] == ["preflight", "diff"]


async def test_a_sheet_with_conflicts_cannot_be_accepted(sample: Sample) -> None:
    sample.engine.conflicts = (Conflict("src/a.py", "it was edited"),)
    async with opened(sample) as pilot:
        await press(pilot, "end", "a", "enter")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "escape")
        assert [what for what, _ in sample.engine.asked] == ["preflight", "diff"]


async def test_a_sheet_shows_conflicts_hunk_by_hunk(sample: Sample) -> None:
    mine = tuple(f"mine {number}" for number in range(20))
    places = (Collision(12, mine, ()), Collision(40, ("\x1b[2J[b]",), ("theirs",)))
    sample.engine.conflicts = (Conflict("src/a.py", "both sides changed", places),)
    async with opened(sample, (120, 60)) as pilot:
        await press(pilot, "end", "a")
        sheet = shown(pilot.app.screen.query_one("#lines Static"))
        assert "⚠ src/a.py: both sides changed" in sheet
        for said in ("line 12", "yours   mine 0", "and 8 more lines", "theirs  (nothing)"):
            assert said in sheet
        assert "line 40" in sheet
        assert "yours   ␛[2J[b]" in sheet


async def test_a_does_nothing_for_a_task_that_runs(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "a")
        assert sample.engine.asked == []


async def test_u_shows_what_it_would_restore_and_enter_does_it(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "u")
        assert sample.engine.asked == [("undo_preview", None)]
        await press(pilot, "enter")
        assert sample.engine.asked[-1] == ("undo", "t_11aa")


async def test_x_cancels_after_asking(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "x")
        assert sample.engine.asked == []
        await press(pilot, "enter")
        assert sample.engine.asked == [("cancel", "t_91bc")]


async def test_a_failure_of_the_engine_is_told(sample: Sample) -> None:
    sample.engine.failure = "git failed: [/bold] \x1b]52;c;x\x07"
    async with opened(sample) as pilot:
        await press(pilot, "end", "a")
        assert told(pilot) == ["git failed: [/bold] ␛]52;c;x␇"]


async def test_tabs_split_and_jumps(sample: Sample) -> None:
    async with opened(sample, (120, 16)) as pilot:
        await press(pilot, "end", "2")
        diff = board(pilot).pane.diff
        assert "modified  src/parser.py  +6 −3" in shown(diff)
        await press(pilot, "right_curly_bracket")
        assert diff.place == "created  tests/test_parser.py  +2 −0"
        await press(pilot, "right_curly_bracket")
        assert diff.place == "modified  logo.png"
        await press(pilot, "left_curly_bracket", "left_curly_bracket", "right_square_bracket")
        assert diff.place == "@@ 1 → 1  def tokenize(text: str) -> list[str]:"
        await press(pilot, "right_square_bracket", "left_square_bracket", "v")
        assert "+ import sys" in shown(diff)
        await press(pilot, "1")
        assert board(pilot).pane.tab == "stream"


async def test_d24_a_diff_that_has_become_old_says_so_and_is_read_anew(sample: Sample) -> None:
    """The task goes on while a person reads; what is applied in the end is its fixed outcome."""
    tool = ToolUse(tool="edit", id="late", status="started")
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_7f3a"
        await press(pilot, "2")
        assert sample.engine.asked == [("diff", "t_7f3a")]
        assert "changed" not in shown(head_follow(pilot))

        sample.say("t_7f3a", (0, tool), (0, replace(tool, status="succeeded")))
        await until(pilot, lambda: "changed" in shown(head_follow(pilot)))
        await press(pilot, "2")

        assert sample.engine.asked == [("diff", "t_7f3a")] * 2
        assert "changed" not in shown(head_follow(pilot))


def head_follow(pilot: Pilot[Any]) -> Widget:
    return board(pilot).pane.head.query_one("#head-follow")


async def test_the_diff_is_read_again_when_its_task_has_ended(sample: Sample) -> None:
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_7f3a"
        await press(pilot, "2")
        assert sample.engine.asked == [("diff", "t_7f3a")]
        ended = "2026-11-30T21:04:11.000Z"
        RecordStore(sample.layout).update("t_7f3a", status="succeeded", ended_at=ended)
        await until(pilot, lambda: len(sample.engine.asked) > 1)
        assert sample.engine.asked == [("diff", "t_7f3a")] * 2


async def test_enter_and_tab_move_between_list_and_pane(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "enter")
        assert board(pilot).pane.stream.has_focus
        await press(pilot, "tab")
        assert board(pilot).table.has_focus
        await press(pilot, "tab", "escape")
        assert board(pilot).table.has_focus


async def test_slash_filters_and_escape_clears(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "slash", *"agent:codex")
        assert "claude" not in shown(board(pilot).table)
        assert "t_7f3a" in shown(board(pilot).table)
        await press(pilot, "enter")
        assert board(pilot).table.has_focus
        await press(pilot, "escape")
        assert "claude" in shown(board(pilot).table)
        assert board(pilot).filter_box.value == ""


async def test_s_sorts_h_shows_the_history_and_help_opens(sample: Sample) -> None:
    for number in range(60):
        sample.task(f"t_old{number}", "codex", status="succeeded", ended_at="2026-01-01T00:00:00Z")
    async with opened(sample) as pilot:
        assert "13 older (h)" in status(pilot)
        await press(pilot, "h", "s")
        assert "older (h)" not in status(pilot)
        assert "sorted by oldest" in status(pilot)
        await press(pilot, "question_mark")
        assert [type(screen) for screen in pilot.app.screen_stack] == [BoardScreen, HelpScreen]
        await press(pilot, "escape")
        assert [type(screen) for screen in pilot.app.screen_stack] == [BoardScreen]


async def test_q_leaves_with_success(sample: Sample) -> None:
    async with sample.app().run_test() as pilot:
        await settled(pilot)
        await pilot.press("q")
    assert pilot.app.return_code == 0


async def test_q5_a_half_typed_filter_survives_events(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "slash")
        for number, letter in enumerate("agent codex words"):
            sample.say("t_7f3a", (0, Message(text=f"m{number}")))
            await pilot.press("space" if letter == " " else letter)
        box = pilot.app.focused
        assert isinstance(box, Input)
        assert box.value == "agent codex words"


async def test_the_choice_survives_arriving_and_ending_tasks(sample: Sample) -> None:
    async with opened(sample) as pilot:
        table = board(pilot).table
        table.chosen = "t_7f3a"
        sample.task("t_0new", "claude", started=1)
        await until(pilot, lambda: "t_0new" in shown(table))
        assert table.chosen == "t_7f3a"
        records = RecordStore(sample.layout)
        records.update("t_7f3a", status="succeeded", report_status="success")
        await until(pilot, lambda: "✓ t_7f3a" in shown(table))
        assert table.chosen == "t_7f3a"
        sample.layout.record("t_7f3a").unlink()
        await until(pilot, lambda: "t_7f3a" not in shown(table))
        assert table.chosen is not None


async def test_new_events_are_followed_until_a_person_scrolls_away(sample: Sample) -> None:
    async with opened(sample, (120, 24)) as pilot:
        log = board(pilot).pane.stream
        board(pilot).table.chosen = "t_7f3a"
        await settled(pilot)
        sample.say("t_7f3a", *((0, Message(text=f"line {n}")) for n in range(60)))
        await until(pilot, lambda: "line 59" in shown(log))
        await press(pilot, "enter", "up", "up")
        assert not log.following
        sample.say("t_7f3a", (0, Message(text="unseen")))
        await until(pilot, lambda: "1 new ▼" in shown(board(pilot).query_one("#head-follow")))
        assert "unseen" not in shown(log)
        await press(pilot, "f")
        assert "unseen" in shown(log)
        assert log.following


async def test_f4_scrolling_up_in_a_long_stream_reads_further_back(sample: Sample) -> None:
    sample.say("t_7f3a", *((0, Message(text=f"line {n} {'x' * 200}")) for n in range(3_000)))
    async with opened(sample, (120, 24)) as pilot:
        log = board(pilot).pane.stream
        board(pilot).table.chosen = "t_7f3a"
        await settled(pilot)
        held = log.row_count()
        assert held < 3_000
        await press(pilot, "enter", "home")
        await until(pilot, lambda: log.row_count() > held)
        for _ in range(6):
            await press(pilot, "home")
        assert log.row_count() > 3_000
        assert "codex exec --json" in shown(log)


@pytest.mark.parametrize("size", [(20, 5), (40, 10), (400, 120)])
async def test_t5_any_size_can_be_drawn(sample: Sample, size: tuple[int, int]) -> None:
    async with opened(sample, (80, 24)) as pilot:
        await pilot.resize_terminal(*size)
        await press(pilot, "2", "v", "1", "end")
        assert board(pilot).table.chosen == "t_11aa"


async def test_with_until_over_it_leaves_when_all_tasks_have_ended(
    empty: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_module, "LAST_LOOK", 0.01)
    empty.task("t_1", "codex")
    async with empty.app(until_over=True).run_test() as pilot:
        await settled(pilot)
        assert pilot.app.is_running
        RecordStore(empty.layout).update("t_1", status="succeeded")
        await until(pilot, lambda: pilot.app.return_code == 0)


async def test_a_race_is_shown_alone_at_first(sample: Sample) -> None:
    sample.task("t_racer", "codex", race_id="r_1")
    async with sample.app(only="race:r_1").run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        assert list(board(pilot)._shown) == ["t_racer"]
        await press(pilot, "escape")
        assert len(board(pilot)._shown) == 8


@pytest.mark.parametrize("theme", ["light", "nord", "textual-light", "ansi-dark"])
async def test_t9_textual_themes_can_be_used(sample: Sample, theme: str) -> None:
    async with sample.app(theme).run_test() as pilot:
        await settled(pilot)
        assert board(pilot).table.chosen == "t_91bc"
