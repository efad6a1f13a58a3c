"""A short film of the dashboard as one SVG: its frames are shown one after the other by CSS."""

from __future__ import annotations

import re
from collections.abc import Sequence

SECONDS = 1.7
"""How long one frame is seen."""
_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


def film(frames: Sequence[str]) -> str:
    """Return an animated SVG of frames that are SVGs of one size."""
    found = _SIZE.search(frames[0])
    assert found is not None
    width, height = found.groups()
    total, share = len(frames) * SECONDS, 100 / len(frames)
    style = (
        f"@keyframes seen {{ 0%, {share:.3f}% {{ visibility: visible }}"
        f" {share + 0.001:.3f}%, 100% {{ visibility: hidden }} }}"
        f" .frame {{ visibility: hidden; animation: seen {total:.1f}s step-end infinite }}"
    )
    parts = [
        f'<g class="frame" style="animation-delay:{number * SECONDS:.1f}s">{frame}</g>'
        for number, frame in enumerate(frames)
    ]
    head = f'<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">'
    return f"{head}<style>{style}</style>{''.join(parts)}</svg>\n"
