"""Diffs that freeze other programs: a minified file of one line, a lock file of fifty thousand."""

from __future__ import annotations

import time

from tests.tui.drive import board, settled, until
from tests.tui.sample import Sample

HEAD = b"diff --git a/%s b/%s\nindex 1111111..2222222 100644\n--- a/%s\n+++ b/%s\n"


def head(name: bytes) -> bytes:
    return HEAD % (name, name, name, name)


async def test_d17_a_minified_file_of_five_megabytes_does_not_hold_up_a_key(
    sample: Sample,
) -> None:
    old, new = b"a;" * 2_500_000, b"b;" * 2_500_000
    sample.engine.patch = head(b"app.min.js") + b"@@ -1 +1 @@\n-%s\n+%s\n" % (old, new)
    async with sample.app().run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("2")
        pane = board(pilot).pane.diff
        await until(pilot, lambda: pane.row_count() > 2)
        await settled(pilot)
        drawn = []
        for _ in range(5):
            started = time.perf_counter()
            pane.row_segments(pane.row_count() - 1, 110)
            drawn.append(time.perf_counter() - started)
        text = "".join(segment.text for segment in pane.row_segments(pane.row_count() - 1, 110))

    assert min(drawn) < 0.05, drawn
    assert len(text) <= 110
    assert pane.cut in text


async def test_d16_a_lock_file_of_fifty_thousand_lines_is_folded_at_once(sample: Sample) -> None:
    lines = b"".join(b'+    "package-%d": "1.0.0",\n' % n for n in range(50_000))
    name = b"package-lock.json"
    sample.engine.patch = head(name) + b"@@ -1,0 +1,50000 @@\n" + lines
    async with sample.app().run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        started = time.perf_counter()
        await pilot.press("2")
        pane = board(pilot).pane.diff
        await until(pilot, lambda: pane.row_count() == 2)

    assert time.perf_counter() - started < 3
