"""What a terminal is told besides what is on the screen: its title, a bell, a notice. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from caesar_core.board.views import QuestionView
from caesar_core.text import one_line

_TO_URXVT: Final = ("rxvt", "foot")
_DEAF: Final = ("linux", "dumb", "vt")
SAVE_TITLE: Final = "\x1b[22;2t"
RESTORE_TITLE: Final = "\x1b[23;2t"
_MOUSE: Final = (1000, 1003, 1015, 1006)


@dataclass(frozen=True, slots=True)
class News:
    """What to tell.

    Attributes:
        title: the terminal's.
        notice: what a new question asks; empty when there is none.

    """

    title: str
    notice: str = ""


@dataclass(frozen=True, slots=True)
class MouseWanted:
    """Somebody wants the mouse for the dashboard, or for the terminal to select text with it."""

    ours: bool

    @property
    def sequence(self) -> str:
        """What tells the terminal so."""
        return "".join(f"\x1b[?{mode}{'h' if self.ours else 'l'}" for mode in _MOUSE)


class Herald:
    """Remembers what was told: each question rings once, those found at the start not at all."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] | None = None
        self._title = ""

    def look(self, asked: Iterable[QuestionView], need_you: int, *, complete: bool) -> News | None:
        """Return what is new since the last look, `None` when nothing is.

        Args:
            asked: all open questions.
            need_you: how many tasks wait for a person.
            complete: whether the store was read once; until then nothing is new.

        """
        waiting = {(question.task_id, question.id): question for question in asked}
        fresh = [] if self._known is None else [k for k in waiting if k not in self._known]
        if complete or self._known is not None:
            self._known = (self._known or set()) | set(waiting)
        title = "caesar" if not need_you else f"caesar: {need_you} need{'s' * (need_you == 1)} you"
        if title == self._title and not fresh:
            return None
        self._title = title
        return News(title, _notice([waiting[key] for key in fresh]))


def sequences(news: News, environ: Mapping[str, str]) -> str:
    """Return what a terminal of this environment is written.

    OSC 9 or OSC 777 for the notice, whichever the terminal is known for; both would show it twice.
    """
    term = environ.get("TERM", "")
    title = f"\x1b]2;{one_line(news.title, 60)}\x07"
    if not term or term.startswith(_DEAF):
        return "\x07" if news.notice else ""
    if not news.notice:
        return title
    text = one_line(news.notice, 160).replace(";", ",")
    notice = f"\x1b]9;{text}\x07"
    if term.startswith(_TO_URXVT):
        notice = f"\x1b]777;notify;caesar;{text}\x07"
    return f"{title}{notice}\x07"


def _notice(fresh: list[QuestionView]) -> str:
    if not fresh:
        return ""
    if len(fresh) > 1:
        return f"{len(fresh)} questions wait for you"
    return f"{fresh[0].task_id} asks: {fresh[0].question}"
