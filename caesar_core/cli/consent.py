"""Asking a person, once, about the commands that a repository brings."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from caesar_core.cli.output import stderr
from caesar_core.text import one_line, visible

if TYPE_CHECKING:
    from caesar_core.engine.service import Service
    from caesar_core.engine.trust import Review


def ask_for_trust(service: Service) -> None:
    """Ask in a terminal and remember a yes; elsewhere, or after a no, the engine refuses."""
    if os.environ.get("CAESAR_TRUST") == "1" or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    review = service.review()
    if review.is_trusted:
        return
    for line in review_lines(review):
        stderr().line(line)
    if click.confirm("Agree to run them?", default=False, err=True):
        service.agree()


def review_lines(review: Review) -> Iterator[str]:
    """Yield what a repository wants to run, new things marked."""
    if not review.commands:
        yield f"{one_line(str(review.root))} brings no commands."
        return
    changed = " (changed since you agreed)" if review.known and review.fresh else ""
    yield f"{one_line(str(review.root))} brings these commands{changed}:"
    for command in review.commands:
        mark = "new" if command in review.fresh else "   "
        # Whole: what is cut off would be agreed to unseen.
        yield f"  {mark}  {one_line(command.path, 60)}: {visible(command.text)}"
    for path in review.gone:
        yield f"  gone {one_line(path, 60)}"
