"""Applying among the user's settings, selections, edits and undo."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.errors import EXIT_USAGE, CaesarError, OperationError
from caesar_core.repo.apply import apply_outcome, preflight
from tests.fakes.sandbox import Sandbox, write
from tests.integration.repo.applying import apply, edit, everything, refused, take_back
from tests.integration.repo.conftest import LINES


def test_d9_the_users_git_settings_change_nothing(sandbox: Sandbox) -> None:
    left = sandbox.agent(everything)
    for key, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "color.ui": "always",
        "diff.external": "false",
        "diff.algorithm": "patience",
        "core.quotePath": "false",
        "core.pager": "false",
        "merge.conflictStyle": "diff3",
        "commit.gpgSign": "true",
        "status.short": "true",
    }.items():
        sandbox.git("config", key, value)
    assert apply(sandbox, left).applied
    assert take_back(sandbox, left).undone


def test_d14_line_ends_of_the_checkout_are_kept(tmp_path: Path) -> None:
    sandbox = Sandbox.make(tmp_path / "repo", {".gitattributes": "*.txt eol=crlf\n"})
    sandbox.write({"a.txt": LINES.replace("\n", "\r\n")})
    sandbox.commit()
    left = sandbox.agent(edit("line 2\r", "agent\r", "a.txt"))
    edit("line 29\r", "mine\r", "a.txt")(sandbox.root)
    assert apply(sandbox, left).applied
    wanted = LINES.replace("line 2\n", "agent\n").replace("line 29\n", "mine\n")
    assert (sandbox.root / "a.txt").read_bytes() == wanted.replace("\n", "\r\n").encode()


def test_d14_autocrlf_switched_on_later_makes_no_conflict(sandbox: Sandbox) -> None:
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    sandbox.git("config", "core.autocrlf", "true")
    (sandbox.root / "f.txt").write_text(LINES.replace("\n", "\r\n"), newline="")
    assert apply(sandbox, left).applied
    wanted = LINES.replace("line 2\n", "agent\n").replace("\n", "\r\n")
    assert (sandbox.root / "f.txt").read_bytes() == wanted.encode()


def test_d18_applying_twice_says_so(sandbox: Sandbox) -> None:
    left = sandbox.agent(everything)
    assert apply(sandbox, left).applied
    again = apply(sandbox, left)
    assert again.applied
    assert again.already_applied
    sandbox.commit()
    assert apply(sandbox, left).already_applied


def test_135_an_empty_outcome_is_applied_without_a_journal(sandbox: Sandbox) -> None:
    done = apply(sandbox, sandbox.agent(lambda _: None))
    assert (done.applied, done.already_applied, done.journal) == (True, False, None)


def test_d21_a_filter_that_the_agent_brought_does_not_run(sandbox: Sandbox) -> None:
    mark = sandbox.root.parent / "ran"

    def work(root: Path) -> None:
        write(root, {".gitattributes": "* filter=evil merge=evil\n"})
        for part in ("clean", "smudge", "process"):
            sandbox.git("config", f"filter.evil.{part}", f"touch {mark}; cat", cwd=root)
        sandbox.git("config", "filter.evil.required", "true", cwd=root)
        sandbox.git("config", "merge.evil.driver", f"touch {mark}", cwd=root)
        edit("line 2\n", "agent\n")(root)

    left = sandbox.agent(work)
    edit("line 29\n", "mine\n")(sandbox.root)
    assert apply(sandbox, left).applied
    sandbox.write({".gitattributes": "* filter=evil merge=evil\n"})
    edit("agent\n", "line 2\n")(sandbox.root)
    assert preflight(sandbox.repository(), left.base, left.tree, ["f.txt"]).clean
    assert not mark.exists()


def test_d23_the_second_of_two_that_touch_the_same_lines_is_refused(sandbox: Sandbox) -> None:
    first = sandbox.agent(edit("line 2\n", "first\n"))
    second = sandbox.agent(edit("line 2\n", "second\n"), name="t_2")
    assert apply(sandbox, first).applied
    refused(sandbox, second, "f.txt", "same lines")


def test_preflight_says_the_same_and_writes_nothing(sandbox: Sandbox) -> None:
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    objects = sandbox.git("count-objects", "-v")
    files = sandbox.files()
    edit("line 29\n", "mine\n")(sandbox.root)
    seen = preflight(sandbox.repository(), left.base, left.tree)
    assert (seen.clean, seen.files, seen.merged_with_local) == (True, ("f.txt",), ("f.txt",))
    edit("mine\n", "line 29\n")(sandbox.root)
    assert sandbox.files() == files
    assert sandbox.git("count-objects", "-v") == objects


def test_a_file_renamed_by_the_user_gets_the_agents_edit(sandbox: Sandbox) -> None:
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    sandbox.git("mv", "f.txt", "moved.txt")
    sandbox.commit()
    edit("line 29\n", "mine\n", "moved.txt")(sandbox.root)
    done = apply(sandbox, left)
    assert done.files == ("moved.txt",)
    text = (sandbox.root / "moved.txt").read_text()
    assert text == LINES.replace("line 2\n", "agent\n").replace("line 29\n", "mine\n")


def test_chosen_files_by_name_and_by_folder(sandbox: Sandbox) -> None:
    left = sandbox.agent(everything)
    assert apply(sandbox, left, "sub", "new.bin").files == ("new.bin", "sub/x.py", "sub/y.py")
    assert (sandbox.root / "g.txt").exists()


def test_a_chosen_renamed_file_takes_its_old_name_along(sandbox: Sandbox) -> None:
    left = sandbox.agent(lambda root: (root / "f.txt").rename(root / "h.txt"))
    assert apply(sandbox, left, "h.txt").files == ("f.txt", "h.txt")


def test_an_unknown_chosen_file_is_a_usage_error(sandbox: Sandbox) -> None:
    left = sandbox.agent(everything)
    with pytest.raises(CaesarError, match="nope") as caught:
        apply(sandbox, left, "nope")
    assert caught.value.exit_code == EXIT_USAGE


def test_136_files_outside_of_the_projects_folder_are_applied(sandbox: Sandbox) -> None:
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    assert apply(sandbox, left, below="sub").files == ("f.txt",)
    assert "agent" in (sandbox.root / "f.txt").read_text()


def test_g5_g11_g20_detached_locked_and_checked_out_twice(sandbox: Sandbox) -> None:
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    sandbox.git("checkout", "-q", "--detach")
    sandbox.git("worktree", "add", "-q", str(sandbox.root.parent / "second"), "main")
    (sandbox.root / ".git" / "index.lock").touch()
    assert apply(sandbox, left).applied


def test_g9_inherited_git_variables_point_nowhere(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Sandbox.make(tmp_path / "other", {"f.txt": "theirs\n"})
    files, index = other.files(), other.index()
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git" / "index"))
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    assert apply(sandbox, left).applied
    assert "agent" in (sandbox.root / "f.txt").read_text()
    assert (other.files(), other.index()) == (files, index)


def test_names_that_differ_in_case_only_are_refused_where_they_are_one(sandbox: Sandbox) -> None:
    left = sandbox.agent(lambda root: write(root, {"F.TXT": "other\n"}))
    sandbox.git("config", "core.ignorecase", "true")
    refused(sandbox, left, "F.TXT", "upper and lower case")


def test_a_name_of_gits_own_is_refused(sandbox: Sandbox) -> None:
    blob = sandbox.git("rev-parse", "HEAD:f.txt").strip()
    tree = sandbox.root.parent / "tree"
    tree.write_bytes(b"100644 config\0" + bytes.fromhex(blob))
    inner = sandbox.git("hash-object", "-t", "tree", "-w", "--literally", str(tree)).strip()
    tree.write_bytes(b"40000 .GIT\0" + bytes.fromhex(inner))
    outer = sandbox.git("hash-object", "-t", "tree", "-w", "--literally", str(tree)).strip()
    empty = sandbox.git("hash-object", "-t", "tree", "-w", "/dev/null").strip()
    seen = preflight(sandbox.repository(), empty, outer)
    assert [(c.path, c.reason) for c in seen.conflicts] == [
        (".GIT/config", "the name belongs to git itself")
    ]


def test_an_edit_during_the_apply_rolls_everything_back(sandbox: Sandbox) -> None:
    left = sandbox.agent(everything)
    before = sandbox.files()

    def meddle(step: str) -> None:
        if step == "check 3":
            (sandbox.root / "logo.png").write_bytes(b"mine")

    done = apply_outcome(
        sandbox.repository(),
        left.base,
        left.tree,
        journal_dir=sandbox.root.parent / "journal",
        on_step=meddle,
    )
    assert [(c.path, c.reason) for c in done.conflicts] == [("logo.png", "it was edited meanwhile")]
    assert sandbox.files() == before | {"logo.png": ("file", b"mine")}
    assert not (sandbox.root.parent / "journal").exists()


def test_undo_keeps_later_edits_and_names_what_collides(sandbox: Sandbox) -> None:
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    assert apply(sandbox, left).applied
    edit("line 29\n", "later\n")(sandbox.root)
    edit("agent\n", "collides\n")(sandbox.root)
    files = sandbox.files()
    done = take_back(sandbox, left)
    assert [(c.path, c.reason) for c in done.conflicts] == [("f.txt", "it was changed since")]
    assert sandbox.files() == files
    edit("collides\n", "agent\n")(sandbox.root)
    assert take_back(sandbox, left).files == ("f.txt",)
    assert (sandbox.root / "f.txt").read_text() == LINES.replace("line 29\n", "later\n")
    assert not take_back(sandbox, left).undone


def test_an_applied_undone_outcome_can_be_applied_again(sandbox: Sandbox) -> None:
    left = sandbox.agent(everything)
    apply(sandbox, left)
    after = sandbox.files()
    take_back(sandbox, left)
    again = apply_outcome(
        sandbox.repository(), left.base, left.tree, journal_dir=sandbox.root.parent / "again"
    )
    assert again.applied
    assert sandbox.files() == after


def test_the_users_permissions_survive(sandbox: Sandbox) -> None:
    (sandbox.root / "f.txt").chmod(0o600)
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    assert apply(sandbox, left).applied
    assert (sandbox.root / "f.txt").stat().st_mode & 0o777 == 0o600


def test_d11_a_file_renamed_by_the_agent_takes_the_users_edit_along(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        edit("line 2\n", "agent\n")(root)
        (root / "f.txt").rename(root / "moved.txt")

    left = sandbox.agent(work)
    edit("line 29\n", "mine\n")(sandbox.root)
    before = sandbox.files()
    assert apply(sandbox, left).files == ("f.txt", "moved.txt")
    text = (sandbox.root / "moved.txt").read_text()
    assert text == LINES.replace("line 2\n", "agent\n").replace("line 29\n", "mine\n")
    assert take_back(sandbox, left).undone
    assert sandbox.files() == before


def test_d7_a_linked_folder_that_the_agent_made_real_is_replaced(sandbox: Sandbox) -> None:
    outside = sandbox.root.parent / "outside"
    write(outside, {"a": "outside\n"})
    (sandbox.root / "linked").symlink_to(outside)
    sandbox.commit()

    def work(root: Path) -> None:
        (root / "linked").unlink()
        write(root, {"linked/a": "agent\n"})

    before = sandbox.files()
    left = sandbox.agent(work)
    assert apply(sandbox, left).applied
    assert sandbox.files()["linked/a"] == ("file", b"agent\n")
    assert (outside / "a").read_text() == "outside\n"
    assert take_back(sandbox, left).undone
    assert sandbox.files() == before


def test_g14_a_file_that_is_absent_only_because_the_checkout_is_sparse_is_no_conflict(
    sandbox: Sandbox,
) -> None:
    sandbox.write({"out/b": LINES, "in/a": "a\n"})
    sandbox.commit()
    left = sandbox.agent(edit("line 2\n", "agent\n", "out/b"))
    sandbox.git("sparse-checkout", "set", "--cone", "in")
    assert not (sandbox.root / "out").exists()
    assert apply(sandbox, left).applied
    assert (sandbox.root / "out" / "b").read_text() == LINES.replace("line 2\n", "agent\n")


def test_136_a_file_that_cannot_be_written_puts_everything_back(
    sandbox: Sandbox,
) -> None:
    left = sandbox.agent(everything)
    before = sandbox.files()

    def fail(step: str) -> None:
        if step == "replace 5":
            raise PermissionError(13, "Permission denied")

    with pytest.raises(OperationError, match="Nothing was applied"):
        apply_outcome(
            sandbox.repository(),
            left.base,
            left.tree,
            journal_dir=sandbox.root.parent / "journal",
            on_step=fail,
        )
    assert sandbox.files() == before


def test_a_repository_with_longer_object_names_works_alike(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    sandbox = Sandbox(root)
    sandbox.git("init", "-q", "-b", "main", "--object-format=sha256")
    sandbox.git("config", "user.email", "dev@example.org")
    sandbox.git("config", "user.name", "Dev")
    sandbox.write({"f.txt": LINES, "g.txt": LINES, "sub/x.py": "x\n", "logo.png": b"\0"})
    sandbox.commit()
    before = sandbox.files()
    left = sandbox.agent(everything)
    assert apply(sandbox, left, "g.txt", "new.bin").files == ("g.txt", "new.bin")
    assert take_back(sandbox, left).undone
    assert sandbox.files() == before
