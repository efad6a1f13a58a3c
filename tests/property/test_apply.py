"""Random edits of a user against random edits of an agent.

Either every file is what a three-way merge of that file gives, or nothing at all changed.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from caesar_core.repo.apply import apply_outcome
from caesar_core.repo.undo import undo
from tests.fakes.sandbox import Sandbox, Tree, read_tree

Content = tuple[str, bytes] | None

OLD = ("a.txt", "b.txt", "dir/c.txt", "run.sh", "d.bin")
NEW = ("new.txt", "dir/new.txt", "n.log")
BASE: Tree = {
    **{
        name: ("file", b"".join(b"%s line %d\n" % (name.encode(), n) for n in range(12)))
        for name in OLD[:4]
    },
    "d.bin": ("file", bytes(range(64)) * 4),
    ".gitignore": ("file", b"*.log\n"),
}


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: `kind` says which fields count."""

    kind: str
    name: str
    line: int = 0
    word: str = ""


words = st.sampled_from(["alpha", "beta"])
edits = st.lists(
    st.one_of(
        st.builds(Edit, st.just("line"), st.sampled_from(OLD[:4]), st.integers(0, 11), words),
        st.builds(Edit, st.just("insert"), st.sampled_from(OLD[:4]), st.integers(0, 12), words),
        st.builds(Edit, st.just("cut"), st.sampled_from(OLD[:4]), st.integers(0, 11)),
        st.builds(Edit, st.just("delete"), st.sampled_from(OLD)),
        st.builds(Edit, st.just("mode"), st.sampled_from(OLD)),
        st.builds(Edit, st.just("bytes"), st.just("d.bin"), st.just(0), words),
        st.builds(Edit, st.just("link"), st.sampled_from(OLD), st.just(0), words),
        st.builds(Edit, st.just("create"), st.sampled_from(NEW), st.just(0), words),
    ),
    max_size=4,
)


def edited(tree: Tree, todo: list[Edit]) -> Tree:
    """Apply edits to a model of a tree; the result never depends on the order of two files."""
    done = dict(tree)
    for edit in todo:
        kind, content = done.get(edit.name, ("absent", b""))
        lines = content.splitlines(keepends=True)
        if edit.kind == "create":
            done[edit.name] = ("file", f"{edit.name} {edit.word} is new\n".encode())
        elif kind in ("absent", "link"):
            continue
        elif edit.kind == "delete":
            del done[edit.name]
        elif edit.kind == "mode":
            done[edit.name] = ("exec", content)
        elif edit.kind == "link":
            done[edit.name] = ("link", edit.word.encode())
        elif edit.kind == "bytes":
            done[edit.name] = (kind, b"\0" + edit.word.encode())
        else:
            new = f"{edit.name} {edit.word} {edit.line}\n".encode()
            at = min(edit.line, len(lines))
            lines[at : at + (edit.kind != "insert")] = [new] if edit.kind != "cut" else []
            done[edit.name] = (kind, b"".join(lines))
    return done


def store(root: Path, tree: Tree) -> None:
    """Make the files of `root` exactly those of the model."""
    for name in read_tree(root).keys() - tree.keys():
        (root / name).unlink()
    for name, (kind, content) in tree.items():
        place = root / name
        place.parent.mkdir(exist_ok=True)
        if read_tree(root).get(name) == (kind, content):
            continue
        place.unlink(missing_ok=True)
        if kind == "link":
            place.symlink_to(content.decode())
        else:
            place.write_bytes(content)
            place.chmod(0o755 if kind == "exec" else 0o644)


class ConflictError(Exception):
    """The model finds no merge."""


def merged(base: Content, ours: Content, theirs: Content) -> Content:
    """Merge one file by the book."""
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    if base is None or ours is None or theirs is None:
        raise ConflictError
    if "link" in (base[0], ours[0], theirs[0]):
        raise ConflictError
    kind = theirs[0] if ours[0] == base[0] else ours[0]
    return kind, merged_bytes(base[1], ours[1], theirs[1])


def merged_bytes(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for place, content in zip(places, (ours, base, theirs), strict=True):
            place.write_bytes(content)
        done = subprocess.run(
            ["git", "merge-file", "-p", "-q", *map(str, places)], capture_output=True, check=False
        )
    if done.returncode:
        raise ConflictError
    return done.stdout


def expected(ours: Tree, theirs: Tree) -> Tree | None:
    """Return the merged tree, or `None` when any file conflicts."""
    found: Tree = {}
    try:
        for name in ours.keys() | theirs.keys():
            content = merged(BASE.get(name), ours.get(name), theirs.get(name))
            if content is not None:
                found[name] = content
    except ConflictError:
        return None
    return found


def without_ignored(tree: Mapping[str, tuple[str, bytes]]) -> Tree:
    return {name: content for name, content in tree.items() if not name.endswith(".log")}


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(user=edits, agent=edits, committed=st.booleans())
def test_apply_gives_the_merge_or_changes_nothing(
    user: list[Edit], agent: list[Edit], *, committed: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox.make(Path(folder, "repo"))
        store(sandbox.root, BASE)
        sandbox.commit()
        ours, theirs = edited(BASE, user), without_ignored(edited(BASE, agent))
        left = sandbox.agent(lambda root: store(root, theirs))
        store(sandbox.root, ours)
        if committed:
            sandbox.commit()
        index = sandbox.index()
        wanted = expected(ours, theirs | {n: c for n, c in ours.items() if n.endswith(".log")})
        event("conflict" if wanted is None else "merge")

        journal = Path(folder, "journal")
        done = apply_outcome(sandbox.repository(), left.base, left.tree, journal_dir=journal)

        assert done.applied == (wanted is not None), done
        assert sandbox.files() == (ours if wanted is None else wanted)
        assert sandbox.index() == index
        if done.journal is not None:
            assert undo(journal).undone
            assert sandbox.files() == ours
            assert sandbox.index() == index
