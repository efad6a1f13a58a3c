"""Parts of outcomes, combined: what git gives by hand, or a refusal where git refuses."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Collection
from pathlib import Path

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from caesar_core.repo.combine import Part, combine, part_tree
from caesar_core.repo.hunks import raw_hunks, with_hunks
from tests.fakes.sandbox import Sandbox

HEAD = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
line = st.sampled_from(["a\n", "b\n", "same\n", "c\r\n", "\n"])
lines = st.lists(line, max_size=30)
texts = st.builds(
    lambda body, end: ("".join(body) + end).encode(), lines, st.sampled_from(["", "z"])
)


@st.composite
def edited(draw: st.DrawFn) -> list[str]:
    """Twenty lines, some of them cut, changed or put in."""
    made: list[str] = []
    for number in range(20):
        kind = draw(st.sampled_from(["keep"] * 6 + ["cut", "change", "insert"]))
        word = draw(st.sampled_from(["x", "y"]))
        made += [f"{word} at {number}\n"] if kind in ("change", "insert") else []
        made += [f"line {number % 5}\n"] if kind in ("keep", "insert") else []
    return made


def by_hand(sandbox: Sandbox, tree: str, chosen: Collection[int]) -> str:
    """Apply some hunks of the patch with `git apply`, counted anew as `git add -p` does it."""
    patch = sandbox.git("diff-tree", "-p", "--full-index", "HEAD", tree)
    starts = [found.start() for found in HEAD.finditer(patch)]
    if not starts:
        return sandbox.git("rev-parse", "HEAD^{tree}").strip()
    parts, shift = [patch[: starts[0]]], 0
    for number, (at, to) in enumerate(zip(starts, [*starts[1:], len(patch)], strict=True), 1):
        found = HEAD.match(patch, at)
        assert found is not None
        old, count, new = (int(found[1]), int(found[2] or 1), int(found[4] or 1))
        if number in chosen:
            head = f"@@ -{old},{count} +{old + shift},{new} @@"
            parts.append(head + patch[found.end() : to])
            shift += new - count
    sandbox.git("read-tree", "HEAD")
    if len(parts) > 1:
        words = ["git", "apply", "--cached", "--unidiff-zero", "-"]
        subprocess.run(words, cwd=sandbox.root, input="".join(parts).encode(), check=True)
    return sandbox.git("write-tree").strip()


def committed(sandbox: Sandbox, branch: str, content: list[str]) -> str:
    sandbox.git("checkout", "-q", "-f", "-B", branch, "main")
    sandbox.write({"f.txt": "".join(content)})
    return sandbox.commit()


@given(old=texts, new=texts)
@settings(max_examples=25, deadline=None)
def test_all_hunks_make_the_new_file_and_none_the_old_one(old: bytes, new: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("old", old), ("new", new)):
            Path(folder, name).write_bytes(data)
        words = ["git", "diff", "--no-index", "--no-color", "--text", "old", "new"]
        patch = subprocess.run(words, cwd=folder, capture_output=True, check=False).stdout

    hunks = raw_hunks(patch)

    assert with_hunks(old, hunks, range(1, len(hunks) + 1)) == new
    assert with_hunks(old, hunks, ()) == old


@given(content=edited(), data=st.data())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_chosen_hunks_are_what_git_apply_gives(content: list[str], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = [f"line {number % 5}\n" for number in range(20)]
        sandbox = Sandbox.make(Path(folder).resolve() / "repo", {"f.txt": "".join(base)})
        tree = committed(sandbox, "agent", content)
        sandbox.git("checkout", "-q", "main")
        count = len(raw_hunks(sandbox.git("diff-tree", "-p", "main", tree).encode()))
        chosen = data.draw(st.sets(st.integers(1, count))) if count else set()
        event(f"{len(chosen)} of {count}")
        expected = by_hand(sandbox, tree, chosen)
        part = Part(tree, (), (("f.txt", tuple(chosen)),) if chosen else ())

        made = part_tree(sandbox.repository().git(), "main", part)

        assert sandbox.git("rev-parse", f"{made}^{{tree}}").strip() == expected


@given(left=edited(), right=edited())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_two_whole_files_are_what_git_merge_gives(left: list[str], right: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = [f"line {number % 5}\n" for number in range(20)]
        sandbox = Sandbox.make(Path(folder).resolve() / "repo", {"f.txt": "".join(base)})
        ours, theirs = committed(sandbox, "ours", left), committed(sandbox, "theirs", right)
        sandbox.git("checkout", "-q", "ours")
        merging = ["git", "merge", "-q", "--no-edit", "theirs"]
        merged = subprocess.run(merging, cwd=sandbox.root, capture_output=True, check=False)

        found = combine(
            sandbox.repository().git(),
            "main",
            [Part(ours, ("f.txt",)) if left != base else Part(ours),
             Part(theirs, ("f.txt",)) if right != base else Part(theirs)],
        )  # fmt: skip

        event("clean" if merged.returncode == 0 else "conflict")
        assert bool(found.conflicts) == (merged.returncode != 0)
        if not found.conflicts:
            assert found.tree == sandbox.git("rev-parse", "HEAD^{tree}").strip()
