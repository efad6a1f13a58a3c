"""Tasks that write in the user's own work tree."""

from __future__ import annotations

from tests.integration.engine.conftest import Caesar, kill


def test_in_place_task_is_verified_by_content(caesar: Caesar) -> None:
    """A further edit of a dirty file counts, an untouched dirty file does not."""
    (caesar.root / "dirty.txt").write_text("untouched\n")
    (caesar.root / "a.txt").write_text("one\ntwo\nthree\nmine\n")
    _allow_in_place(caesar)
    index = (caesar.root / ".git" / "index").read_bytes()

    result = caesar.run("echo agent >> a.txt; echo new > n.txt", "--isolation", "inplace")

    assert result["changes_verified_by"] == "git"
    changes = {change["path"] for change in result["report"]["changes"]}
    assert changes == {"a.txt", "n.txt"}
    assert (caesar.root / ".git" / "index").read_bytes() == index
    assert caesar("diff", result["task_id"], "--json").json["is_empty"] is True
    assert caesar("apply", result["task_id"], "--json").json["applied"] is False


def test_case_121_writing_in_place_needs_permission(caesar: Caesar) -> None:
    ran = caesar("run", "--agent", "shell", "true", "--isolation", "inplace", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (2, "isolation_refused")
    assert "allow_inplace_write" in ran.err


def test_case_123_second_writer_in_place_is_refused_and_told_of_the_first(caesar: Caesar) -> None:
    _allow_in_place(caesar)
    first = caesar.detach("sleep 20", "--isolation", "inplace")
    caesar.wait(first, lambda record: record.status == "running")

    ran = caesar("run", "--agent", "shell", "true", "--isolation", "inplace", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (2, "workspace_busy")
    assert first in ran.err
    caesar("cancel", first)
    assert caesar("run", "--agent", "shell", "true", "--isolation", "inplace").code == 0


def test_writer_in_place_stays_the_only_one_when_its_supervisor_dies(caesar: Caesar) -> None:
    _allow_in_place(caesar)
    first = caesar.detach("sleep 20", "--isolation", "inplace")
    record = caesar.wait(first, lambda record: record.agent_process is not None)
    kill(record.supervisor)

    orphaned = caesar("run", "--agent", "shell", "true", "--isolation", "inplace")
    caesar("ps")
    adopted = caesar.wait(first, lambda now: now.supervisor != record.supervisor)
    again = caesar("run", "--agent", "shell", "true", "--isolation", "inplace")

    assert adopted.is_active
    assert (orphaned.code, again.code) == (2, 2)
    caesar("cancel", first)
    assert caesar("run", "--agent", "shell", "true", "--isolation", "inplace").code == 0


def test_what_a_person_edits_while_the_task_waits_is_not_the_agents(caesar: Caesar) -> None:
    caesar.declare("reads", "exit 0", 'prompt = "none"\nnative_read_only = true')
    with caesar.layout.config.open("a") as file:
        file.write("[policy]\nmax_parallel = 1\n")
    first = caesar.detach("sleep 30")
    caesar.wait(first, lambda record: record.status == "running")
    second = caesar.detach("look", "--mode", "read-only", agent="reads")
    caesar.wait(second, lambda record: record.phase == "slot")
    (caesar.root / "a.txt").write_text("edited by hand\n")

    caesar("cancel", first)

    assert caesar.wait(second).isolation == "inplace"
    report = caesar("show", second, "--json").json["report"]
    assert report["changes"] == []
    assert [f for f in report["findings"] if f["severity"] == "high"] == []


def _allow_in_place(caesar: Caesar) -> None:
    caesar.layout.caesar.mkdir(exist_ok=True)
    caesar.layout.config.write_text("[policy]\nallow_inplace_write = true\n")
