"""Keeping the stream of a real run as a recording that the ordinary tests replay."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

STREAMS: Final = Path(__file__).parents[1] / "data" / "streams"


def keep(name: str, raw: str, exit_code: int | None, places: Mapping[str, str]) -> None:
    """Write `NAME.jsonl`, `NAME.err` and `NAME.rc`.

    Args:
        raw: the task's `raw.log`: the JSON lines of stdout, everything else from stderr.
        exit_code: none when a signal ended the process.
        places: folders of this machine and what stands for them, the longest first.
    """
    for place, shown in places.items():
        raw = raw.replace(place, shown)
    lines = raw.split("\n")
    out = [line for line in lines if line.startswith("{")]
    err = [line for line in lines if line and not line.startswith("{")]
    target = STREAMS / name
    target.with_suffix(".jsonl").write_text("".join(f"{line}\n" for line in out))
    target.with_suffix(".err").unlink(missing_ok=True)
    if err:
        target.with_suffix(".err").write_text("".join(f"{line}\n" for line in err))
    target.with_suffix(".rc").write_text(f"{-15 if exit_code is None else exit_code}\n")
