"""The lines at the edges of the screen: header, state, keys. Painted only when they change."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from textual.content import Content
from textual.widgets import Static

from caesar_core.board.delta import Health
from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.standing import Group
from caesar_tui.keymap import Key
from caesar_tui.widgets.safe import content, plain


class QuietStatic(Static):
    """A label that is not painted again when it is told the same twice."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", id=id, markup=False)
        self._told: Content | None = None

    def tell(self, text: Content) -> None:
        """Show `text`."""
        if text != self._told:
            self._told = text
            self.update(text)


class HeaderBar(QuietStatic):
    """Project, counts, tokens and the time of day."""

    def show(
        self, root: Path, counts: dict[Group, int], usage: str, now: datetime, glyphs: Glyphs
    ) -> None:
        """Show the state of the project; what does not fit is left out by rank."""
        width = max(20, self.size.width - 2)
        clock = f"{now.astimezone():%H:%M}"
        brand = f"{glyphs.brand} caesar"
        needs = counts[Group.NEEDS_YOU]
        need = f"{needs} need you" if needs else ""
        running, done = f"{counts[Group.RUNNING]} running", f"{counts[Group.FINISHED]} done"
        room = width - len(brand) - len(clock) - 2 - (len(need) + 5 if need else 0)
        rest = _fitting([[running, done, usage], [running, done], [running]], glyphs, room)
        where = _short(root, room - len(rest) - 4)
        head = f"{brand}  {where}".rstrip()
        taken = len(head) + len(clock) + len(rest) + (len(need) + 5 if rest else len(need))
        gap = max(2, (width - taken) // 2)
        dot = f"  {glyphs.bullet}  " if need and rest else ""
        parts = [
            content(head, "bold $accent"),
            content(" " * gap),
            content(need, "bold $accent"),
            content(dot + rest, "$dim"),
        ]
        used = sum(part.cell_length for part in parts)
        parts += [content(" " * max(1, width - used - len(clock))), content(clock, "$dim")]
        self.tell(Content.assemble(*parts))


class StatusBar(QuietStatic):
    """How well we see, and what is left out of the list."""

    def show(self, health: Health, *, notes: Iterable[str] = (), glyphs: Glyphs = UNICODE) -> None:
        """Show the follower's health and further notes."""
        parts = [health.mode + (f" ({health.note})" if health.note else "")]
        if health.bad_lines:
            parts.append(f"{health.bad_lines} bad lines")
        if health.bad_records:
            parts.append(f"{len(health.bad_records)} damaged records")
        text = f"  {glyphs.bullet}  ".join(plain(part) for part in (*parts, *notes))
        self.tell(content(text, "$dim"))


class KeyBar(QuietStatic):
    """The keys that apply now; wraps on a narrow screen, and can be clicked."""

    def show(self, keys: Iterable[Key]) -> None:
        """Show these keys."""
        pieces: list[Content] = []
        for key in keys:
            action = f"screen.{key.action}"
            word = f"{key.shown}\u00a0{key.label}"
            piece = Content(word).stylize("bold $accent", 0, len(key.shown))
            piece = piece.stylize(f"@click={action}" if "(" in action else f"@click={action}()")
            pieces += [piece, Content("  ")]
        self.tell(Content.assemble(*pieces[:-1]) if pieces else Content(""))


def _short(root: Path, width: int) -> str:
    text = str(root)
    home = str(Path.home())
    if text == home or text.startswith(f"{home}/"):
        text = f"~{text[len(home) :]}"
    if width < 6:
        return ""
    return plain(text) if len(text) <= width else f"…{plain(text)[-(width - 1) :]}"


def _fitting(choices: list[list[str]], glyphs: Glyphs, width: int) -> str:
    """Return the first choice that fits, joined; nothing when none does."""
    joined = (f"  {glyphs.bullet}  ".join(part for part in choice if part) for choice in choices)
    return next((text for text in joined if len(text) <= width), "")
