"""The lines at the edges of the screen: header, state, keys. Painted only when they change."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from caesar_core.board.delta import Health
from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.home import home_folder
from caesar_tui.keymap import Key
from caesar_tui.model import Counts
from caesar_tui.widgets.safe import content, plain

MAX_KEY_LINES: Final = 2


class QuietStatic(Static):
    """A label that is not painted again when it is told the same twice."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", id=id, markup=False)
        self._told: Content | None = None

    def tell(self, text: Content) -> None:
        """Show `text`."""
        # `==` compares the letters alone; another colour or mark has to be painted as well.
        if self._told is None or not text.is_same(self._told):
            resized = self._told is None or self.is_resized(self._told, text)
            self._told = text
            self.update(text, layout=resized)

    def is_resized(self, before: Content, after: Content) -> bool:
        """Tell whether the other text may need another place; laying out is dear."""
        del before, after
        return self.styles.auto_dimensions


class HeaderBar(QuietStatic):
    """Project, counts, tokens and the time of day."""

    def show(self, root: Path, counts: Counts, usage: str, now: datetime, glyphs: Glyphs) -> None:
        """Show the state of the project; what does not fit is left out by rank."""
        width = max(20, self.size.width)
        clock = f"{now.astimezone():%H:%M}"
        brand = f"{glyphs.brand} caesar"
        verb = "needs" if counts.need_you == 1 else "need"
        need = f"{counts.need_you} {verb} you" if counts.need_you else ""
        dot = f"  {glyphs.bullet}  "
        room = width - len(brand) - len(clock) - 4 - (len(need) + len(dot) if need else 0)
        rest = _fitting(_choices(counts, usage), dot, room)
        where = _short(root, room - len(rest) - 4)
        head = f"{brand}  {where}".rstrip()
        middle = dot.join(part for part in (need, rest) if part)
        gap = max(2, (width - cell_len(head) - len(middle) - len(clock)) // 2)
        parts = [
            content(head, "bold $accent"),
            content(" " * gap),
            content(need, "bold $accent"),
            content(middle[len(need) :], "$dim"),
        ]
        used = sum(part.cell_length for part in parts)
        parts += [content(" " * max(1, width - used - len(clock))), content(clock, "$dim")]
        self.tell(Content.assemble(*parts))


class StatusBar(QuietStatic):
    """What was done last, how well we see, and what is left out of the list."""

    def show(
        self,
        health: Health,
        *,
        said: str = "",
        notes: Iterable[str] = (),
        glyphs: Glyphs = UNICODE,
    ) -> None:
        """Show what was said last, the follower's health and further notes."""
        parts = [health.mode + (f" ({health.note})" if health.note else "")]
        if health.bad_lines:
            parts.append(f"{health.bad_lines} bad lines")
        if health.bad_records:
            parts.append(f"{len(health.bad_records)} damaged records")
        dot = f"  {glyphs.bullet}  "
        text = dot.join(plain(part) for part in (*parts, *notes))
        done = content(f"{plain(said)}{dot}" if said else "", "bold $foreground")
        self.tell(Content.assemble(done, content(text, "$dim")))


class KeyBar(QuietStatic):
    """The keys that apply now, on at most two lines; they can be clicked."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._keys: tuple[Key, ...] = ()

    def show(self, keys: Iterable[Key]) -> None:
        """Show these keys; the last ones give way where there is no room for all."""
        self._keys = tuple(keys)
        lines = _wrapped(self._keys, max(1, self.size.width))
        shown = (Content("  ").join(_hint(key) for key in line) for line in lines)
        self.tell(Content("\n").join(shown))

    def is_resized(self, before: Content, after: Content) -> bool:
        """Tell whether the number of lines changes; the lines are broken here."""
        return before.plain.count("\n") != after.plain.count("\n")

    def on_resize(self) -> None:
        """Break the lines anew."""
        self.show(self._keys)


def _hint(key: Key) -> Content:
    where = "focused" if key.scope == "answer" else "screen"
    action = key.action if "(" in key.action else f"{key.action}()"
    hint = Content(_word(key)).stylize("bold $accent", 0, len(key.shown))
    return hint.stylize(f"@click={where}.{action}")


def _word(key: Key) -> str:
    return f"{key.shown} {key.label}"


def _wrapped(keys: tuple[Key, ...], width: int) -> list[list[Key]]:
    """Return the lines of hints; a hint is never broken."""
    lines: list[list[Key]] = [[]]
    left = width
    for key in keys:
        cells = len(_word(key))
        if lines[-1] and cells > left:
            lines.append([])
            left = width
        lines[-1].append(key)
        left -= cells + 2
    spare = [key for key in keys if not key.stays]
    if len(lines) > MAX_KEY_LINES and spare:
        return _wrapped(tuple(key for key in keys if key is not spare[-1]), width)
    return lines


def _choices(counts: Counts, usage: str) -> list[list[str]]:
    running, done = f"{counts.running} running", f"{counts.done} done"
    waiting = f"{counts.waiting} waiting for a slot" if counts.waiting else ""
    full = f"{waiting} ({counts.taken}/{counts.slots})" if waiting and counts.slots else waiting
    short = f"{counts.waiting} waiting" if counts.waiting else ""
    return [
        [running, full, done, usage],
        [running, waiting, done, usage],
        [running, waiting, done],
        [running, short, done],
        [running, short],
        [running],
    ]


def _short(root: Path, width: int) -> str:
    text = str(root)
    home = str(home_folder())
    if text == home or text.startswith(f"{home}/"):
        text = f"~{text[len(home) :]}"
    if width < 6:
        return ""
    return plain(text) if len(text) <= width else f"…{plain(text)[-(width - 1) :]}"


def _fitting(choices: list[list[str]], dot: str, width: int) -> str:
    """Return the first choice that fits, joined; nothing when none does."""
    joined = (dot.join(part for part in choice if part) for choice in choices)
    return next((text for text in joined if len(text) <= width), "")
