"""`caesar watch --web` in a real browser."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from caesar_core.protocol import event as ev
from caesar_core.store import mailbox
from tests.tui.chromium import Page, chromium, find
from tests.tui.sample import Sample
from tests.tui.test_web import SERVE, serving

PROGRAM = find()


@pytest.mark.skipif(PROGRAM is None, reason="chromium not installed")
async def test_rows_arrive_and_a_question_is_answered_in_a_real_browser(
    sample: Sample, tmp_path: Path
) -> None:
    assert PROGRAM is not None
    with serving("-c", SERVE, str(sample.root)) as address:
        origin = address.partition("/?")[0]
        async with chromium(PROGRAM, tmp_path / "profile") as page:
            await nothing_is_served(page, origin)
            await page.ask("Page.navigate", url=address)
            await page.until_received(b"t_91bc")
            await page.until("document.querySelector('.xterm-screen') !== null")
            await page.until_received(b"live")
            sample.task("t_new1", "codex", (1, ev.Message(text="a fresh row")), started=2)
            await page.until_received(b"a fresh row")
            assert page.statuses[f"{origin}/"] == 200
            assert all(url.startswith((origin, "data:", "blob:")) for url in page.statuses)
            await page.click(300, 300)  # the page, like any page, has to be looked at
            await page.press("Escape", 27)
            await page.press("Home", 36)
            await page.press("Tab", 9)
            await page.press("2", 50, "2")
            await page.until_received(b"sends: no")
            await page.press("Enter", 13, "\r")
            await answered(sample, "no")


async def nothing_is_served(page: Page, origin: str) -> None:
    for path in ("/", "/?token=guess"):
        await page.ask("Page.navigate", url=origin + path)
        await page.until("document.readyState === 'complete'")
        assert await page.evaluate("document.querySelector('.xterm-screen')") is None
        assert page.statuses[origin + path] == 403


async def answered(sample: Sample, text: str) -> None:
    for _ in range(600):
        (state,) = mailbox.questions(sample.layout.task("t_91bc"))
        if state.answer is not None:
            break
        await asyncio.sleep(0.05)
    assert state.answer == text
