"""The application: one screen, two themes, workers. Everything else is elsewhere."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cached_property, partial
from pathlib import PurePath
from typing import Any, ClassVar

from textual.app import App, SuspendNotSupported
from textual.binding import BindingType
from textual.message import Message
from textual.theme import BUILTIN_THEMES
from textual.worker import NoActiveWorker, Worker, WorkerState, get_current_worker

from caesar_core.board.glyphs import ASCII, UNICODE, Glyphs, glyphs_for
from caesar_core.clock import Clock, SystemClock
from caesar_core.errors import EXIT_USAGE, CaesarError
from caesar_core.store.layout import Layout
from caesar_tui.actions import Actions, Engine
from caesar_tui.bridge import Bridge
from caesar_tui.busy import Busy, work_of
from caesar_tui.delegating import Delegating
from caesar_tui.herald import RESTORE_TITLE, SAVE_TITLE, MouseWanted, News, sequences
from caesar_tui.keyed import KeyedApp, Keymap
from caesar_tui.messages import (
    AnswerGiven,
    ApplyWanted,
    CombineWanted,
    CommandRead,
    CommandWanted,
    ComparisonWanted,
    DiffWanted,
    FileWanted,
    GivenUp,
    GiveUpWanted,
    Intent,
    PageWanted,
    PlaceWanted,
    Plan,
    PlanWanted,
    Said,
    StartWanted,
    TailsWanted,
    TaskWanted,
    TidyWanted,
    TimelineWanted,
    UndoWanted,
    VisitWanted,
    Working,
)
from caesar_tui.outlook import ForecastWanted, SlotsWanted
from caesar_tui.racing import Racing
from caesar_tui.screens.board import BoardScreen
from caesar_tui.themes import DARK, LIGHT, THEMES
from caesar_tui.widgets.safe import plain


class CaesarApp(KeyedApp):
    """The dashboard.

    Args:
        layout: the project.
        engine: makes the engine when the first action needs it.
        clock: the time.
        ids: show only these tasks; `None` shows all.
        theme: `dark`, `light`, or the name of one of Textual's themes.
        glyphs: what the terminal can show.
        only: what the list is filtered by in the beginning.
        race: the race that is shown first, over the list.
        until_over: leave a moment after all that is shown has ended.
        lifeline: a descriptor that reads as ended when the process dies that restores the
            terminal; `None` when there is none.
        keys: those that hold; `None` is the table's.

    """

    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "styles/lines.tcss",
        "styles/board.tcss",
        "styles/sheet.tcss",
    ]
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    TITLE = "caesar"

    def __init__(
        self,
        layout: Layout,
        *,
        engine: Callable[[], Engine],
        clock: Clock,
        ids: Collection[str] | None = None,
        theme: str = "dark",
        glyphs: Glyphs = UNICODE,
        only: str = "",
        race: str | None = None,
        until_over: bool = False,
        lifeline: int | None = None,
        keys: Keymap | None = None,
    ) -> None:
        super().__init__()
        self.keys = keys or Keymap()
        self.set_keymap(self.keys.bindings)
        for known in THEMES.values():
            self.register_theme(known)
        self.theme = THEMES[theme].name if theme in THEMES else theme
        self.animation_level = "none"  # a screenful moves at once, as it does in a pager
        self._lifeline = lifeline
        self._board = BoardScreen(
            layout.root, clock, self._act, glyphs, only=only, race=race, until_over=until_over
        )
        self._bridge = Bridge(layout, self._board, ids, clock)
        self._actions = Actions(engine, self._post, self.keys.shown("board.undo"))
        self._clock = clock
        self._busy: Busy[Worker[Any]] = Busy(glyphs)
        self._working = ""
        self._mouse = MouseWanted(ours=True)
        self.set_class(glyphs is ASCII, "-ascii")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own variables, for the themes that do not know them."""
        return dict((DARK if self.current_theme.dark else LIGHT).variables)

    def get_default_screen(self) -> BoardScreen:
        """Return the board."""
        return self._board

    def on_mount(self) -> None:
        """Begin to follow the store, once the first frame is painted."""
        self._spinner = self.set_interval(0.1, self._turn, pause=True)
        self.tell_terminal(SAVE_TITLE)
        self.app_resume_signal.subscribe(self, self._resumed)
        self.call_after_refresh(self._begin)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """Report a worker that failed; no failure is silent."""
        if message.worker.is_finished:
            self._busy.end(message.worker)
            self._turn()
        if message.state is WorkerState.ERROR:
            error = message.worker.error
            text = f"{message.worker.group}: {type(error).__name__}: {error}"
            self.notify(plain(text), severity="error", markup=False)

    def tell_terminal(self, sequence: str) -> None:
        """Write a sequence of our own: title, bell, notice."""
        if self._driver is not None and not self.is_headless and not self.is_web:
            self._driver.write(sequence)

    def on_unmount(self) -> None:
        """Give the terminal its title back."""
        self.tell_terminal(RESTORE_TITLE)

    def _begin(self) -> None:
        self.run_worker(self._bridge.follow(), group="follower", exit_on_error=False)
        if self._lifeline is not None:
            asyncio.get_running_loop().add_reader(self._lifeline, self._guard_is_gone)

    def _resumed(self, _: App[object]) -> None:
        """Leave the mouse to the terminal if it has it; Textual took it back."""
        if not self._mouse.ours:
            self.tell_terminal(self._mouse.sequence)

    def _guard_is_gone(self) -> None:
        assert self._lifeline is not None
        asyncio.get_running_loop().remove_reader(self._lifeline)
        self.exit(1)

    def _act(self, intent: Intent) -> None:
        """Carry out an intent of the board in a worker thread."""
        if isinstance(intent, News):
            self.tell_terminal(sequences(intent, os.environ))
        elif isinstance(intent, MouseWanted):
            self._mouse = intent
            self.tell_terminal(intent.sequence)
        elif isinstance(intent, VisitWanted):
            self._visit(intent)
        elif isinstance(intent, CommandRead):
            self._post(intent)
        elif isinstance(intent, GiveUpWanted):
            self._give_up()
        else:
            group, work = self._ways[type(intent)]
            worker = self.run_worker(
                partial(work, intent), thread=True, group=group, exit_on_error=False
            )
            self._busy.begin(worker, work_of(intent), self._clock.monotonic())
            self._spinner.resume()

    def _give_up(self) -> None:
        """Wait no longer for what only looks; what it says in the end is not heard."""
        for worker in self._busy.stoppable(self._clock.monotonic()):
            worker.cancel()
            self._busy.end(worker)
        self._turn()
        self._post(GivenUp())

    def _turn(self) -> None:
        """Say on every screen what goes on; nothing turns while nothing does."""
        now = self._clock.monotonic()
        text = self._busy.line(now)
        if text != self._working:
            self._working = text
            for screen in self.screen_stack:
                screen.post_message(Working(text, bool(self._busy.stoppable(now))))
        if self._busy.is_idle:
            self._spinner.pause()

    @cached_property
    def _ways(self) -> dict[type, tuple[str, Callable[[Any], None]]]:
        """Which worker carries an intent out, and how."""
        actions, bridge = self._actions, self._bridge
        delegating = Delegating(actions.engine, self._post)
        racing = Racing(actions.engine, self._post)
        return {
            PageWanted: ("stream", bridge.read_page),
            TailsWanted: ("stream", bridge.read_tails),
            TimelineWanted: ("timeline", bridge.read_timeline),
            DiffWanted: ("diff", actions.read_diff),
            TaskWanted: ("task", actions.read_task),
            Plan: ("engine", partial(_carry_out, actions, delegating)),
            PlanWanted: ("plan", delegating.plan),
            StartWanted: ("engine", delegating.start),
            PlaceWanted: ("engine", delegating.place),
            CommandWanted: ("engine", delegating.command),
            TidyWanted: ("engine", delegating.tidy),
            ForecastWanted: ("forecast", actions.forecast),
            SlotsWanted: ("slots", actions.slots),
            ComparisonWanted: ("race", racing.compare),
            FileWanted: ("race", racing.read_file),
            CombineWanted: ("engine", racing.combine),
            AnswerGiven: ("engine", actions.answer),
            ApplyWanted: ("engine", actions.plan_apply),
            UndoWanted: ("engine", actions.plan_undo),
        }

    def _post(self, message: Message) -> None:
        """Hand a fact to the uppermost screen that knows what to do with it; from any thread.

        What comes of work that was given up is not wanted any more.
        """
        with suppress(NoActiveWorker):
            if get_current_worker().is_cancelled:
                return
        for screen in reversed(self.screen_stack):
            if hasattr(screen, message.handler_name):
                screen.post_message(message)
                return

    def _visit(self, wanted: VisitWanted) -> None:
        """Give the terminal to an editor or a shell until it ends."""
        from caesar_core.engine.visit import Visit

        try:
            with self.suspend():
                Visit(wanted.folder, wanted.command).begin()
        except SuspendNotSupported:
            self._post(Said("This needs a terminal of its own.", "warning"))
        except CaesarError as error:
            self._post(Said(f"{error.message} {error.hint or ''}".strip(), "warning"))


def _carry_out(actions: Actions, delegating: Delegating, plan: Plan) -> None:
    """Do what a sheet announced; the call blocks."""
    if plan.action == "retry":
        delegating.retry(str(plan.task_id))
    elif plan.action == "gc":
        delegating.carry_out_tidy()
    else:
        actions.carry_out(plan)


def show(
    layout: Layout,
    *,
    ids: Collection[str] | None,
    theme: str | None,
    race: str | None,
    until_over: bool,
    lifeline: int | None,
) -> int:
    """Run the dashboard in this process; see `entry.run_dashboard`."""
    known = {*THEMES, *BUILTIN_THEMES}
    if theme is not None and theme not in known:
        sys.stderr.write(f"No theme {plain(theme)!r}. There are: {', '.join(sorted(known))}.\n")
        return EXIT_USAGE
    from caesar_tui.keys_file import keys_path, read_keymap

    try:
        keys = read_keymap(keys_path())
    except CaesarError as error:
        sys.stderr.write(f"{plain(f'{error.message} {error.hint}')}\n")
        return EXIT_USAGE
    app = CaesarApp(
        layout,
        engine=lambda: _engine(layout),
        clock=SystemClock(),
        ids=ids,
        theme=theme or "dark",
        glyphs=locale_glyphs(os.environ),
        only=f"race:{race}" if race else "",
        race=None if until_over else race,
        until_over=until_over,
        lifeline=lifeline,
        keys=keys,
    )
    return app.run() or app.return_code or 0


def locale_glyphs(environ: Mapping[str, str]) -> Glyphs:
    """Return the marks that the locale of `environ` can show; ASCII when it does not say UTF-8."""
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    locale = next((environ[name] for name in names if environ.get(name)), "")
    return glyphs_for(locale.partition(".")[2].partition("@")[0])


def _engine(layout: Layout) -> Engine:
    from caesar_core.engine.service import Service

    return Service(layout.root)
