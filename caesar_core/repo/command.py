"""One hardened way to run git.

An agent works in a worktree that shares its configuration with the user's repository, so whatever
git could be told to execute there (hooks, file system monitors, external diffs, filters, merge
drivers) is an agent's to plant. Every call of ours goes through :class:`Git`, which switches that
off, forgets inherited `GIT_*` variables, asks nobody anything and takes no optional lock.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Final

from caesar_core.errors import OperationError
from caesar_core.repo.hardening import (
    RUNS_NO_FILTER,
    blank_filters,
    hardened_environment,
    plain_merges,
)
from caesar_core.text import one_line, visible

if TYPE_CHECKING:
    from subprocess import Popen

_TAIL: Final = 2000


class GitError(OperationError):
    """A git command failed.

    Attributes:
        command: the words after `git`.
        returncode: git's exit code.
        stderr: what git said, made harmless.

    """

    code = "git_failed"

    def __init__(self, command: Sequence[str], returncode: int, stderr: bytes) -> None:
        self.command = tuple(command)
        self.returncode = returncode
        self.stderr = visible(stderr.decode("utf-8", "replace"), keep_newlines=True)[-_TAIL:]
        said = one_line(self.stderr, 300) or "no reason given"
        words = one_line(" ".join(command), 120)
        super().__init__(
            f"git {words} failed (exit {returncode}): {said}", _advice(self.stderr, returncode)
        )


class GitMissingError(OperationError):
    """There is no git to run."""

    code = "git_missing"


class TamperedWorktreeError(OperationError):
    """A worktree's `.git` file is not ours any more, so git would act on another repository."""

    code = "worktree_tampered"


@dataclass(frozen=True, slots=True)
class Output:
    """What a git command gave back, byte for byte."""

    stdout: bytes
    stderr: bytes
    returncode: int


class Git:
    """Runs git in one folder.

    Args:
        cwd: where git runs.
        expect_git_file: path and content of the worktree's `.git` file as we wrote it. It is
            compared before every call, and git is told the repository it names instead of looking
            for one.
        filters: the configured filters (`list_filters`) that may run; every other one is blanked.
            `None` leaves all of them alone, which is right only before an agent was there.
        environment: variables for every call, such as `GIT_INDEX_FILE`.

    """

    def __init__(
        self,
        cwd: Path,
        *,
        expect_git_file: tuple[Path, bytes] | None = None,
        filters: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.cwd = cwd
        self._expect_git_file = expect_git_file
        self._filters = None if filters is None else frozenset(filters)
        self._environment = dict(environment or {})
        if expect_git_file is not None:
            path, content = expect_git_file
            self._environment.setdefault("GIT_DIR", git_dir_of(content))
            self._environment.setdefault("GIT_WORK_TREE", str(path.parent))

    def with_environment(self, **variables: str) -> Git:
        """Return the same runner with more variables."""
        return Git(
            self.cwd,
            expect_git_file=self._expect_git_file,
            filters=None if self._filters is None else tuple(self._filters),
            environment={**self._environment, **variables},
        )

    def run(self, *args: str, stdin: bytes = b"", ok: Sequence[int] = (0,)) -> Output:
        """Run `git *args` and return all of its output.

        Raises:
            GitError: the exit code is not in `ok`.
            TamperedWorktreeError: the `.git` file is not ours any more.

        """
        with self._start(args, fed=bool(stdin)) as process:
            out, err = process.communicate(stdin or None)
        return _checked(args, Output(out, err, process.returncode), ok)

    def text(self, *args: str, stdin: bytes = b"") -> str:
        """Run git and return its output as text without the final line end."""
        return os.fsdecode(self.run(*args, stdin=stdin).stdout).removesuffix("\n")

    def items(self, *args: str, stdin: bytes = b"", ok: Sequence[int] = (0,)) -> list[bytes]:
        """Run git and return its NUL-terminated output items."""
        return split_nul(self.run(*args, stdin=stdin, ok=ok).stdout)

    def stream(self, *args: str, out: BinaryIO) -> None:
        """Run git and copy its output to `out` as it comes, in constant memory.

        Raises:
            GitError: git failed; a part of its output may have been copied.

        """
        with tempfile.TemporaryFile() as err:
            with self._start(args, stderr=err) as process:
                assert process.stdout is not None
                shutil.copyfileobj(process.stdout, out, 1 << 20)
            err.seek(0)
            _checked(args, Output(b"", err.read(), process.returncode), (0,))

    def list_filters(self) -> tuple[str, ...]:
        """Return every configured filter setting as `key` line end `value`, sorted."""
        found = self.run("config", "-z", "--get-regexp", r"^filter\.", ok=(0, 1))
        return tuple(sorted(os.fsdecode(item) for item in split_nul(found.stdout)))

    def list_settings(self) -> tuple[str, ...]:
        """Return all of the repository's own configuration, as `list_filters` does."""
        found = self.run("config", "--local", "-z", "--get-regexp", ".", ok=(0, 1))
        return tuple(sorted(os.fsdecode(item) for item in split_nul(found.stdout)))

    def _start(
        self,
        args: Sequence[str],
        *,
        fed: bool = False,
        stderr: IO[bytes] | None = None,
    ) -> Popen[bytes]:
        from subprocess import DEVNULL, PIPE, Popen

        self._check_git_file()
        start: type[Popen[bytes]] = Popen
        if sys.platform == "win32":
            # Windows looks in the working folder first; GitPython knows how to keep it from that.
            from git.cmd import safer_popen as start
        try:
            process = start(
                [_program(os.environ.get("PATH", os.defpath)), *args],
                cwd=self.cwd,
                env=self._whole_environment(args),
                stdin=PIPE if fed else DEVNULL,
                stdout=PIPE,
                stderr=stderr or PIPE,
            )
        except (FileNotFoundError, NotADirectoryError) as error:
            raise OperationError(f"Cannot run git in {self.cwd}: {error.strerror}.") from error
        return process

    def _check_git_file(self) -> None:
        if self._expect_git_file is None:
            return
        path, content = self._expect_git_file
        try:
            same = not path.is_symlink() and path.is_file() and path.read_bytes() == content
        except OSError:
            same = False
        if not same:
            raise TamperedWorktreeError(
                f"{path} was removed or changed, so git would act on another repository.",
                "The last snapshot of the task is kept; look at the folder by hand.",
            )

    def _whole_environment(self, args: Sequence[str]) -> dict[str, str]:
        settings: dict[str, str] = {}
        if self._filters is not None and args[0] not in RUNS_NO_FILTER:
            settings |= blank_filters(self.list_filters(), self._filters)
        if args[0] == "merge-tree":
            settings |= plain_merges(self._merge_drivers())
        return {**hardened_environment(os.environ, settings), **self._environment}

    def _merge_drivers(self) -> list[str]:
        words = ("config", "-z", "--name-only", "--get-regexp", r"^merge\..*\.driver$")
        return [os.fsdecode(name) for name in self.items(*words, ok=(0, 1))]


@cache
def _program(path: str) -> str:
    """Return where git is; a relative entry of PATH would be an agent's folder by now.

    Raises:
        GitMissingError: it is nowhere.
    """
    if sys.platform == "win32":
        return "git"
    folders = [folder for folder in path.split(os.pathsep) if Path(folder).is_absolute()]
    found = shutil.which("git", path=os.pathsep.join(folders)) if folders else None
    if found is None:
        raise GitMissingError("git is not installed or not on PATH.", "Install git 2.38 or newer.")
    return found


def git_dir_of(git_file: bytes) -> str:
    """Return the folder that the content of a `.git` file names."""
    return os.fsdecode(git_file.removeprefix(b"gitdir: ").removesuffix(b"\n"))


def split_nul(data: bytes) -> list[bytes]:
    """Split NUL-terminated items."""
    return data.split(b"\0")[:-1] if data.endswith(b"\0") else [i for i in data.split(b"\0") if i]


def join_nul(items: Sequence[bytes]) -> bytes:
    """Terminate every item with NUL, as `--stdin -z` wants them."""
    return b"".join(item + b"\0" for item in items)


def _checked(args: Sequence[str], output: Output, ok: Sequence[int]) -> Output:
    if output.returncode not in ok:
        raise GitError(args, output.returncode, output.stderr)
    return output


def _advice(stderr: str, returncode: int) -> str:
    if "dubious ownership" in stderr:
        return (
            "The folder belongs to another user. If you trust it: "
            "git config --global --add safe.directory <folder>"
        )
    return "caesar needs git 2.38 or newer." if returncode == 129 else ""
