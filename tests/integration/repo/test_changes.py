from __future__ import annotations

import io
import subprocess
from pathlib import Path

from caesar_core.repo.changes import FileChange, list_changes, write_patch
from caesar_core.repo.patch import parse_patch
from tests.fakes.sandbox import Left, Sandbox, write
from tests.integration.repo.conftest import LINES


def changes(sandbox: Sandbox, left: Left, prefix: str = "") -> dict[str, FileChange]:
    repository = sandbox.repository()
    git = repository.git(filters=left.worktree.filters)
    found = list_changes(git, left.base, left.tree, prefix=prefix, head=repository.head)
    return {change.path: change for change in found}


def test_117_d11_d12_every_action_with_its_numbers(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        write(root, {"new.txt": "1\n2\n", "f.txt": LINES.replace("line 2\n", "two\n")})
        (root / "g.txt").rename(root / "G.txt")
        write(root, {"G.txt": LINES + "more\n", "logo.png": b"\0" * 10})
        (root / "sub" / "x.py").chmod(0o755)
        (root / ".gitignore").unlink()

    found = changes(sandbox, sandbox.agent(work))
    assert {
        path: (c.action, c.old_path, c.insertions, c.deletions, c.binary)
        for path, c in found.items()
    } == {
        ".gitignore": ("deleted", None, 0, 4, False),
        "G.txt": ("renamed", "g.txt", 1, 0, False),
        "f.txt": ("modified", None, 1, 1, False),
        "logo.png": ("modified", None, None, None, True),
        "new.txt": ("created", None, 2, 0, False),
        "sub/x.py": ("modified", None, 0, 0, False),
    }
    assert found["sub/x.py"].flags == ("mode",)
    assert found["logo.png"].flags == ("binary",)
    assert (found["logo.png"].old_size, found["logo.png"].new_size) == (64, 10)


def test_flags_name_what_to_look_at_twice(sandbox: Sandbox) -> None:
    sandbox.write({"tests/test_a.py": LINES, "tests/test_b.py": LINES, "tests/test_c.py": LINES})
    sandbox.commit()

    def work(root: Path) -> None:
        (root / "out").symlink_to("/etc/passwd")
        (root / "up").symlink_to("../../elsewhere")
        (root / "inside").symlink_to("sub/x.py")
        (root / "f.txt").unlink()
        (root / "f.txt").symlink_to("g.txt")
        (root / "tests" / "test_a.py").unlink()
        write(root, {"tests/test_b.py": "one\n", "tests/test_c.py": LINES + "more\n"})
        write(root, {".github/workflows/ci.yml": "x\n", "uv.lock": "x\n", "dist/a.min.js": "x\n"})
        write(root, {".env": "s\n", "big.txt": "x\n" * 6000})
        sandbox.git("add", "-f", ".env", cwd=root)
        Sandbox.make(root / "inner", {"a": "a\n"})

    found = changes(sandbox, sandbox.agent(work), prefix="tests")
    flags = {path: set(c.flags) - {"outside_workspace"} for path, c in found.items()}
    assert flags == {
        "out": {"symlink", "symlink_outside"},
        "up": {"symlink", "symlink_outside"},
        "inside": {"symlink"},
        "f.txt": {"symlink", "mode"},
        "tests/test_a.py": {"deletes_tests"},
        "tests/test_b.py": {"deletes_tests"},
        "tests/test_c.py": set(),
        ".github/workflows/ci.yml": {"ci_config"},
        "uv.lock": {"lock_file"},
        "dist/a.min.js": {"generated"},
        ".env": {"ignored_path"},
        "big.txt": {"large"},
        "inner": {"submodule"},
    }
    assert {path for path, c in found.items() if "outside_workspace" not in c.flags} == {
        "tests/test_a.py",
        "tests/test_b.py",
        "tests/test_c.py",
    }


def test_files_that_are_in_the_branch_just_so_are_flagged(sandbox: Sandbox) -> None:
    left = sandbox.agent(lambda root: write(root, {"both": "same\n", "mine": "mine\n"}))
    sandbox.write({"both": "same\n"})
    sandbox.commit()
    found = changes(sandbox, left)
    assert found["both"].flags == ("also_in_branch",)
    assert found["mine"].flags == ()


def test_a_name_that_is_not_utf8_is_shown_and_kept(sandbox: Sandbox) -> None:
    name = b"caf\xe9"
    left = sandbox.agent(lambda root: (root / "caf\udce9").write_text("x\n"))
    (change,) = changes(sandbox, left).values()
    assert (change.path, change.path_bytes) == ("caf\ufffd", name)


def test_136_d9_the_patch_applies_whatever_the_user_configured(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        write(root, {"logo.png": b"\0\1" * 50, "ü ☃": b"caf\xe9\r\nno end", "f.txt": "x\n"})
        (root / "g.txt").rename(root / "h.txt")
        (root / "link").symlink_to("f.txt")

    left = sandbox.agent(work)
    for key, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "color.ui": "always",
        "diff.external": "false",
        "diff.context": "0",
        "diff.renames": "false",
    }.items():
        sandbox.git("config", key, value)
    out = io.BytesIO()
    write_patch(sandbox.repository().git(), left.base, left.tree, out)
    other = sandbox.root.parent / "other"
    sandbox.git("worktree", "add", "-q", "--detach", str(other), left.base)
    subprocess.run(["git", "apply", "--index", "-"], cwd=other, input=out.getvalue(), check=True)
    assert sandbox.git("write-tree", cwd=other).strip() == left.tree
    assert {file.path for file in parse_patch(out.getvalue())} == changes(sandbox, left).keys()


def test_a_patch_of_chosen_files_only(sandbox: Sandbox) -> None:
    left = sandbox.agent(lambda root: write(root, {"a*": "a\n", "ab": "b\n", "d/c": "c\n"}))
    out = io.BytesIO()
    git = sandbox.repository().git()
    write_patch(git, left.base, left.tree, out, [b"a*", b"d"])
    assert [file.path for file in parse_patch(out.getvalue())] == ["a*", "d/c"]
    write_patch(git, left.base, left.tree, nothing := io.BytesIO(), [])
    assert nothing.getvalue() == b""
