"""Parts of outcomes of every kind: new, deleted, binary, renamed, with odd ends and modes."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.repo.combine import NoHunkError, Part, combine, part_tree
from tests.fakes.sandbox import Sandbox
from tests.integration.repo.conftest import LINES


def agent(sandbox: Sandbox, name: str, **files: str | bytes | None) -> str:
    """Return the tree that an agent leaves; `None` deletes, `_` in a name stands for a dot."""

    def work(top: Path) -> None:
        for key, content in files.items():
            place = top / key.replace("_", ".")
            if content is None:
                place.unlink()
            else:
                place.write_bytes(content.encode() if isinstance(content, str) else content)

    return sandbox.agent(work, name=name).tree


def blob(sandbox: Sandbox, tree: str, path: str) -> str:
    return sandbox.git("show", f"{tree}:{path}")


def test_hunks_keep_line_ends_the_lack_of_one_and_the_mode(sandbox: Sandbox) -> None:
    old = LINES.replace("\n", "\r\n").encode() + b"no end"
    sandbox.write({"f.txt": old})
    (sandbox.root / "f.txt").chmod(0o755)
    base = sandbox.commit()
    up, down = old.replace(b"line 2\r", b"two\r"), old.replace(b"no end", b"an end\n")
    both = agent(sandbox, "t_1", f_txt=up.replace(b"no end", b"an end\n"))
    git = sandbox.repository().git()

    def taken(*numbers: int) -> str:
        return part_tree(git, base, Part(both, (), (("f.txt", numbers),)))

    assert taken(1) == agent(sandbox, "t_2", f_txt=up)
    assert taken(2) == agent(sandbox, "t_3", f_txt=down)
    assert taken(1, 2) == both
    assert sandbox.listing(taken(2))["f.txt"] == "100755"


def test_the_only_hunk_of_a_new_or_deleted_file_is_the_whole_change(sandbox: Sandbox) -> None:
    tree = agent(sandbox, "t_1", new_txt="fresh\n", g_txt=None)
    git = sandbox.repository().git()

    made = part_tree(git, "HEAD", Part(tree, (), (("new.txt", (1,)), ("g.txt", (1,)))))

    assert made == tree


def test_what_has_no_hunks_says_so(sandbox: Sandbox) -> None:
    tree = agent(sandbox, "t_1", logo_png=b"\0\1other", f_txt=None, moved_txt=LINES)
    git = sandbox.repository().git()

    for path, word in (("logo.png", "has no hunk 1"), ("moved.txt", "renamed"), ("x", "not among")):
        with pytest.raises(NoHunkError, match=word):
            part_tree(git, "HEAD", Part(tree, (), ((path, (1,)),)))


def test_parts_of_three_outcomes_make_one_tree(sandbox: Sandbox) -> None:
    first = agent(sandbox, "t_1", f_txt=LINES.replace("line 2\n", "two\n"), logo_png=b"\0new")
    second = agent(sandbox, "t_2", f_txt=LINES.replace("line 29\n", "last\n"), g_txt=None)
    third = agent(sandbox, "t_3", new_txt="fresh\n", g_txt="other\n")
    git = sandbox.repository().git()
    parts = [Part(first), Part(second), Part(third, ("new.txt",))]

    made = combine(git, "HEAD", parts)

    assert made.conflicts == ()
    assert "\ntwo\n" in blob(sandbox, made.tree, "f.txt")
    assert "\nlast\n" in blob(sandbox, made.tree, "f.txt")
    assert "g.txt" not in sandbox.listing(made.tree)
    assert {"new.txt", "logo.png"} <= set(sandbox.listing(made.tree))
    assert combine(git, "HEAD", parts[::-1]) == made


def test_colliding_parts_name_the_file_the_reason_and_the_lines(sandbox: Sandbox) -> None:
    first = agent(sandbox, "t_1", f_txt=LINES.replace("line 7\n", "a\n"), g_txt=None)
    second = agent(sandbox, "t_2", f_txt=LINES.replace("line 7\nline 8\n", "b\n"), g_txt="mine\n")
    refs = sandbox.git("for-each-ref")

    found = combine(sandbox.repository().git(), "HEAD", [Part(first), Part(second)])

    assert {c.path: c.reason.partition(" (")[0] for c in found.conflicts} == {
        "f.txt": "both sides changed the same lines",
        "g.txt": "one side changed it, the other deleted it",
    }
    assert "line 7" in next(c.reason for c in found.conflicts if c.path == "f.txt")
    assert sandbox.git("for-each-ref") == refs
