"""X3: an agent that moves or removes what we keep of other tasks under `refs/caesar/`."""

from __future__ import annotations

from tests.integration.engine.conftest import Caesar


def test_x3_the_outcome_is_what_the_record_names_whatever_was_done_to_our_ref(
    caesar: Caesar,
) -> None:
    first, second = (caesar.run(f"echo {word} > x.txt")["task_id"] for word in ("good", "gone"))
    forged = caesar.run("echo forged > x.txt")["task_id"]
    caesar.git("update-ref", f"refs/caesar/{first}", f"refs/caesar/{forged}")
    caesar.git("update-ref", "-d", f"refs/caesar/{second}")

    assert "+good" in caesar("diff", first).out
    assert "+gone" in caesar("diff", second).out
    assert caesar("apply", first).code == 0
    assert (caesar.root / "x.txt").read_text() == "good\n"


def test_x3_an_outcome_that_git_has_lost_is_not_called_none(caesar: Caesar) -> None:
    task = caesar.run("echo x > x.txt")["task_id"]
    caesar.git("update-ref", "-d", f"refs/caesar/{task}")
    caesar.git("reflog", "expire", "--expire=now", "--all")
    caesar.git("gc", "--quiet", "--prune=now")

    for verb in ("diff", "apply"):
        refused = caesar(verb, task, "--json")
        assert (refused.code, refused.json["error"]["code"]) == (1, "unreadable_outcome")
    assert caesar("show", task).code == 0
    assert caesar("apply", "--refresh", task).code == 0
    assert (caesar.root / "x.txt").read_text() == "x\n"
