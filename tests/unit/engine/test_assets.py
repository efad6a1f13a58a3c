from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from caesar_core.engine import assets
from caesar_core.engine.assets import COMMANDS, RUNTIMES, deposit
from caesar_core.engine.json_file import BadJsonFileError, JsonFile
from caesar_core.errors import CaesarError


def actions(root: Path, *runtimes: str) -> dict[str, str]:
    done = deposit(root, runtimes)
    return {str(a.path.relative_to(root)): a.action for a in done.files}


def test_every_runtime_gets_the_skill_where_it_looks_for_it(tmp_path: Path) -> None:
    done = actions(tmp_path, *RUNTIMES)
    assert set(done.values()) == {"created"}
    for folder in (".claude", ".agents"):
        text = (tmp_path / folder / "skills" / "caesar" / "SKILL.md").read_text()
        assert re.match(r"---\nname: caesar\ndescription: .+\n---\n", text)
    for folder in (".claude", ".opencode"):
        for name in COMMANDS:
            text = (tmp_path / folder / "commands" / f"caesar-{name}.md").read_text()
            assert "$ARGUMENTS" in text


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    deposit(tmp_path, ("claude",))
    assert set(actions(tmp_path, "claude").values()) == {"unchanged"}


def test_what_somebody_edited_is_kept_and_what_is_old_is_updated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deposit(tmp_path, ("claude",))
    mine = tmp_path / ".claude" / "commands" / "caesar-race.md"
    mine.write_text(mine.read_text() + "Only ever race two.\n")
    newer = tmp_path / "newer"
    (newer / "commands").mkdir(parents=True)
    for name in ("SKILL.md", *(f"commands/caesar-{n}.md" for n in COMMANDS)):
        (newer / name).write_text("newer\n")
    monkeypatch.setattr(assets, "_MATERIAL", newer)
    done = actions(tmp_path, "claude")
    assert done[".claude/commands/caesar-race.md"] == "kept"
    assert done[".claude/skills/caesar/SKILL.md"] == "updated"
    assert "Only ever race two." in mine.read_text()


def test_what_this_version_no_longer_brings_is_listed_and_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deposit(tmp_path, ("claude",))
    monkeypatch.setattr(assets, "COMMANDS", COMMANDS[1:])
    (tmp_path / ".claude" / "commands" / "caesar-own.md").write_text("the user's")
    [stale] = deposit(tmp_path, ("claude",)).stale
    assert stale.name == f"caesar-{COMMANDS[0]}.md"
    assert stale.exists()


def test_reading_tools_are_allowed_and_other_settings_stay(tmp_path: Path) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n    "model": "x",\n    "permissions": {"allow": ["Bash(ls)"]}\n}')
    settings.chmod(0o640)
    deposit(tmp_path, ("claude",))
    found = json.loads(settings.read_text())
    assert found["model"] == "x"
    assert found["permissions"]["allow"][0] == "Bash(ls)"
    assert "mcp__caesar__caesar_status" in found["permissions"]["allow"]
    assert not any("apply" in tool for tool in found["permissions"]["allow"])
    assert settings.read_text().startswith('{\n    "model"')
    assert settings.stat().st_mode & 0o777 == 0o640


def test_a_link_out_of_the_project_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / ".claude").symlink_to(outside)
    with pytest.raises(CaesarError, match="leads out of"):
        deposit(root, ("claude", "codex"))
    assert [*outside.iterdir(), *root.glob(".agents")] == []


@pytest.mark.parametrize("text", ['{"a": 1, // why\n}', '{"permissions": {"allow": "all"}}'])
def test_settings_that_cannot_be_changed_are_left_and_the_rest_is_deposited(
    tmp_path: Path, text: str
) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(text)

    done = deposit(tmp_path, ("claude", "codex"))

    assert settings.read_text() == text
    assert done.files[-1].action == "by hand"
    assert {file.action for file in done.files[:-1]} == {"created"}
    [warning] = done.warnings
    assert str(settings) in warning
    assert '"mcp__caesar__caesar_status"' in warning


def test_an_unknown_runtime_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaesarError, match="emacs"):
        deposit(tmp_path, ("emacs",))


@pytest.mark.parametrize("text", ['{"a": 1, // why\n}', "[1]", '{"a": 1, "a": 2}', "{"])
def test_a_file_that_is_not_a_plain_object_is_not_touched(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text)
    with pytest.raises(BadJsonFileError, match=r"settings\.json"):
        JsonFile.load(path)
    assert path.read_text() == text


def test_case_183_line_ends_of_another_system_are_no_difference(tmp_path: Path) -> None:
    deposit(tmp_path, ("claude",))
    skill = tmp_path / ".claude" / "skills" / "caesar" / "SKILL.md"
    skill.write_bytes(skill.read_bytes().replace(b"\n", b"\r\n"))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.md")}

    assert set(actions(tmp_path, "claude").values()) == {"unchanged"}

    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.md")} == before
