"""The two themes of the house. Every text reaches a contrast of 4.5:1; a test computes it."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

DARK: Final = Theme(
    name="caesar-dark",
    dark=True,
    primary="#EAA52E",
    secondary="#9E9284",
    accent="#EAA52E",
    foreground="#EDE6DA",
    background="#15120C",
    surface="#15120C",
    panel="#211C13",
    success="#7DCE82",
    warning="#E0AF68",
    error="#E88388",
    variables={
        "dim": "#9E9284",
        "rule": "#6B6252",
        "ink": "#1A1206",
        "chosen": "#332714",
        "chosen-blurred": "#271E10",
        "added": "#16301A",
        "removed": "#3A1A1C",
        "absent": "#1C1811",
    },
)
LIGHT: Final = Theme(
    name="caesar-light",
    dark=False,
    primary="#7A5000",
    secondary="#655C4D",
    accent="#7A5000",
    foreground="#2A241A",
    background="#FBF8F2",
    surface="#FBF8F2",
    panel="#F1EADC",
    success="#1F6B2A",
    warning="#855400",
    error="#A3262E",
    variables={
        "dim": "#655C4D",
        "rule": "#B9AE9A",
        "ink": "#FBF8F2",
        "chosen": "#F3DFAF",
        "chosen-blurred": "#F3E9D2",
        "added": "#DFF3DE",
        "removed": "#FADFE0",
        "absent": "#F3EEE4",
    },
)
THEMES: Final = {"dark": DARK, "light": LIGHT}


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast ratio of two `#RRGGBB` colours, 1 to 21."""
    brighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    channels = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
