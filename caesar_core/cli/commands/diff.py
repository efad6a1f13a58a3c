"""`caesar diff`: what a task changed."""

from __future__ import annotations

import base64
import os
import subprocess
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

import click

from caesar_core.cli.common import complete_task, json_option, root_option, service_at
from caesar_core.cli.output import Output, stderr, stdout
from caesar_core.text import visible

if TYPE_CHECKING:
    from caesar_core.engine.diffs import Diff
    from caesar_core.engine.service import Service

_STYLES: Final = {b"+": "ok", b"-": "bad", b"@": "accent"}
_HEADERS: Final = (b"diff --git ", b"index ", b"--- ", b"+++ ", b"old mode", b"new mode")


@click.command("diff")
@click.argument("task", metavar="ID", shell_complete=complete_task)
@click.option("--stat", is_flag=True, help="Only the files and how much of each.")
@click.option("--name-only", is_flag=True, help="Only the names.")
@click.option("--file", "files", metavar="P", multiple=True, help="Only this file or folder.")
@click.option("--against", metavar="ID", help="Compare with another task's result.")
@click.option("--refresh", is_flag=True, help="Take the worktree as it is now.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@click.option("--pager/--no-pager", default=False, help="Through $PAGER.")
@json_option
@root_option
def command(task: str, root: str | None, **options: Any) -> int:
    """Print the changes of the task ID as a patch that `git apply` takes."""
    service = service_at(root)
    if options["refresh"]:
        service.refresh(task)
    found = service.diff(task, options["files"], options["against"])
    out = stdout(color={"always": True, "never": False}.get(options["color"]))
    if options["as_json"]:
        out.json(_as_json(service, found))
    elif options["name_only"] or options["stat"]:
        _list(service, found, out, names_only=options["name_only"])
    else:
        _print_patch(found, out, paged=options["pager"])
    if found.note and not options["as_json"]:
        stderr().line(visible(found.note))
    return 0


def print_difference(service: Service, found: Diff, out: Output, *, stat: bool) -> None:
    """Print the files of a diff, or its patch."""
    if stat:
        _list(service, found, out, names_only=False)
    else:
        _print_patch(found, out, paged=False)


def _as_json(service: Service, found: Diff) -> dict[str, Any]:
    patch = found.patch()
    document: dict[str, Any] = {
        "id": found.task_id,
        "files": service.changed_files(found),
        "is_empty": found.is_empty,
    }
    try:
        document["patch"] = patch.decode("utf-8")
    except UnicodeDecodeError:
        document["patch"] = None
        document["patch_base64"] = base64.b64encode(patch).decode("ascii")
    if found.note:
        document["message"] = found.note
    return document


def _list(service: Service, found: Diff, out: Output, *, names_only: bool) -> None:
    from caesar_core.cli.report_text import file_line

    for change in service.changed_files(found):
        out.line(visible(change["path"]) if names_only else file_line(change, out))


def _print_patch(found: Diff, out: Output, *, paged: bool) -> None:
    pager = _pager() if paged and out.is_terminal else None
    target = out.binary
    if pager is not None:
        assert pager.stdin is not None
        target = cast("BinaryIO", pager.stdin)
    # In a terminal even without colours: a patch can hold escape sequences.
    dressed = out.has_color or out.is_terminal
    sink = cast("BinaryIO", _Dressed(target, out)) if dressed else target
    try:
        found.write_patch(sink)
        sink.flush()
    finally:
        if pager is not None:
            pager.communicate()


def _pager() -> subprocess.Popen[bytes]:
    program = os.environ.get("PAGER") or "less -R"
    return subprocess.Popen(["/bin/sh", "-c", program], stdin=subprocess.PIPE)


class _Dressed:
    """Colours a patch on its way to a terminal and makes its text harmless there."""

    def __init__(self, target: BinaryIO, out: Output) -> None:
        self._target = target
        self._out = out
        self._rest = b""

    def write(self, data: bytes) -> int:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._target.write(b"".join(self._line(line) + b"\n" for line in lines))
        return len(data)

    def flush(self) -> None:
        if self._rest:
            self._target.write(self._line(self._rest))
            self._rest = b""
        self._target.flush()

    def _line(self, line: bytes) -> bytes:
        text = visible(line.decode("utf-8", "replace"))
        style = "bold" if line.startswith(_HEADERS) else _STYLES.get(line[:1], "")
        return (self._out.paint(style, text) if style else text).encode()
