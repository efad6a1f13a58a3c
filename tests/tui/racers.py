"""A race of three in the sample's project."""

from __future__ import annotations

from caesar_core.board.race import CellView
from tests.tui.sample import Sample, ago

FIRST = b"""diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,3 +1,4 @@
 one
-two
+TWO
+more
 three
@@ -20,2 +21,3 @@
 twenty
+after twenty
 last
"""
SECOND = b"""diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -2,2 +2,2 @@
 two
-three
+THREE
"""


def add_race(sample: Sample) -> Sample:
    """Add two that have ended and one that runs."""
    for number, (agent, report) in enumerate((("codex", "partial"), ("claude", "success"))):
        sample.task(
            f"t_r{number}",
            agent,
            race_id="r_1",
            started=100 - number,
            status="succeeded",
            report_status=report,
            ended_at=ago(20),
            outcome="1" * 40,
            changes_verified_by="git",
            stat={"files": 1, "insertions": 3 - number, "deletions": 1},
            checks=[{"name": "make test", "passed": True}],
        )
    sample.task("t_r2", "opencode", race_id="r_1", started=90)
    cell = CellView(action="modified", insertions=3, deletions=1)
    same = CellView(action="created", insertions=2, deletions=0, same_as=("t_r1",))
    sample.engine.matrix = {
        "a.py": {"t_r0": cell, "t_r1": CellView(action="modified", insertions=1, deletions=1)},
        "b.py": {"t_r0": same, "t_r1": same},
    }
    sample.engine.patches = {"t_r0": FIRST, "t_r1": SECOND, "t_r2": b""}
    return sample
