"""Changing what is configured: what is written, what it means elsewhere, what is trusted."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from caesar_core.clock import Clock
from caesar_core.config.settings import DeclaredAgent, Role
from caesar_core.engine.configure import agents, layer_file, policy, roles
from caesar_core.engine.configure.findings import doubts
from caesar_core.engine.configure.layer_file import layer_path
from caesar_core.engine.configure.values import check_files, set_value, unset_value
from caesar_core.engine.project import Project
from caesar_core.engine.trust import review
from caesar_core.errors import CaesarError
from caesar_core.store.lock import file_lock


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "p").mkdir()
    return Project(tmp_path / "p")


def say(project: Project, text: str, scope: str = "project") -> Path:
    path = layer_path(project, scope)  # type: ignore[arg-type]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    project.forget_configuration()
    return path


def refused(project: Project, path: str, *words: str) -> CaesarError:
    with pytest.raises(CaesarError) as caught:
        set_value(project, path, words, "project")
    assert caught.value.exit_code == 2
    return caught.value


@pytest.mark.parametrize(
    ("path", "words", "line"),
    [
        ("policy.max_parallel", ("3",), "max_parallel = 3"),
        ("policy.allow_recursion", ("true",), "allow_recursion = true"),
        ("policy.default_timeout", ("90s",), 'default_timeout = "90s"'),
        ("policy.min_free_memory", ("2GiB",), 'min_free_memory = "2GiB"'),
        ("policy.denied", ("codex",), 'denied = ["codex"]'),
        ("policy.denied", ("a", "b"), 'denied = ["a", "b"]'),
        ("policy.denied", ('["a", "b"]',), 'denied = ["a", "b"]'),
        ("policy.denied", ("[]",), "denied = []"),
        ("policy.max_parallel_by_agent.codex", ("1",), "max_parallel_by_agent = {codex = 1}"),
        ("worktree.setup", ("npm ci, then",), 'setup = ["npm ci, then"]'),
        ("models.gpt.5", ("5",), '"gpt.5" = "5"'),
        ("environment.set.CI", ("1",), 'set = {CI = "1"}'),
        ("checks.commands", ("make test",), 'commands = ["make test"]'),
        ("answer.which branch.", ("main",), 'match = "which branch."\nanswer = "main"'),
    ],
)
def test_a_value_is_written_as_its_setting_wants_it(
    project: Project, path: str, words: tuple[str, ...], line: str
) -> None:
    written = set_value(project, path, words, "project")

    assert written.changed
    assert line in layer_path(project, "project").read_text()
    assert [value.layer for value in written.effective] == ["project"]
    assert unset_value(project, path, "project").changed
    assert layer_path(project, "project").read_text() == ""


def test_bad_value_or_path_is_refused_and_nothing_is_written(project: Project) -> None:
    path = say(project, "# mine\n[policy]\nmax_parallel = 2\n")
    before = path.read_bytes()

    assert "Did you mean 'policy.max_parallel'?" in refused(project, "policy.max_paralel", "1").hint
    assert "Keys of policy: " in refused(project, "policy.nope", "1").hint
    found = refused(project, "policy.max_parallel", "0")
    assert f"{path}:3: policy.max_parallel: less than 1." in found.message
    assert found.hint.endswith("Nothing was written.")
    assert "not a whole number" in refused(project, "policy.max_parallel", "many").message
    assert "Did you mean 'write'?" in refused(project, "policy.default_mode", "wirte").hint
    assert "models.codex: is empty" in refused(project, "models.codex", "").message
    assert refused(project, "role.nobody.mode", "write").code == "not_found"
    assert "whole entry" in refused(project, "role.reviewer", "x").message
    assert "'purpose'" in refused(project, "role.reviewer.purpos", "x").hint
    assert "relative path" in refused(project, "worktree.copy", "../x").message
    assert "run' is missing" in refused(project, "checks.commands", '[{name = "x"}]').message
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir() if p.name.endswith(".tmp")] == []


def test_file_that_does_not_parse_is_not_edited(project: Project) -> None:
    path = say(project, "[policy]\nmax_parallel = = 2\n")

    found = refused(project, "policy.max_parallel", "3")

    assert (str(path) in found.message, "line 2" in found.message) == (True, True)
    assert path.read_text() == "[policy]\nmax_parallel = = 2\n"


def test_typo_can_be_taken_out(project: Project) -> None:
    path = say(project, "[policy]\nmax_depth = 3\nmax_depht = 1\n")
    with pytest.raises(CaesarError, match="max_depht"):
        set_value(project, "policy.max_depth", ["4"], "project")
    path.write_text("[policy]\nmax_depth = 3\n")
    assert set_value(project, "policy.max_depth", ["4"], "project").changed


def test_case_70_writing_leaves_mode_and_no_temporary_file(project: Project) -> None:
    path = say(project, "", "global")
    path.chmod(0o600)

    set_value(project, "policy.max_parallel", ["3"], "global")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]
    assert not layer_path(project, "project").exists()


def test_own_file_behind_a_link_stays_behind_it(project: Project, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("# mine\n")
    path = layer_path(project, "global")
    path.parent.mkdir(parents=True)
    path.symlink_to(real)

    set_value(project, "policy.max_parallel", ["3"], "global")

    assert path.is_symlink()
    assert real.read_text() == "# mine\n\n[policy]\nmax_parallel = 3\n"
    outside = layer_path(project, "local")
    outside.parent.mkdir(parents=True, exist_ok=True)
    outside.symlink_to(tmp_path / "zshenv")
    with pytest.raises(CaesarError, match="leads out of the project"):
        set_value(project, "policy.max_parallel", ["3"], "local")
    assert not (tmp_path / "zshenv").exists()


def test_case_61_editing_a_list_takes_ownership_and_says_so(project: Project) -> None:
    say(project, "[policy]\ndenied = ['a']\n", "global")

    first = policy.deny(project, "b", "project")
    second = policy.deny(project, "c", "project")
    again = policy.deny(project, "c", "project")

    assert (first.listed, first.materialized) == (("a", "b"), True)
    assert (second.listed, second.materialized, second.changed) == (("a", "b", "c"), False, True)
    assert (again.changed, again.materialized) == (False, False)
    assert "denied = ['a']" in layer_path(project, "global").read_text()
    weaker = policy.deny(project, "d", "global")
    assert weaker.listed == ("a", "d")
    assert any("has a list of its own, which wins" in text for text in weaker.warnings)


def test_case_62_a_layer_never_receives_merged_values(project: Project) -> None:
    say(project, "[policy]\nmax_parallel = 8\n", "global")
    policy.deny(project, "codex", "project")
    agents.set_model(project, "codex", "m", "local")

    assert layer_path(project, "project").read_text() == '[policy]\ndenied = ["codex"]\n'
    assert layer_path(project, "local").read_text() == '[models]\ncodex = "m"\n'
    say(project, "[policy]\nmax_parallel = 9\n", "global")
    assert project.config.policy.max_parallel == 9


def test_case_81_allow_on_an_empty_list_narrows_everybody(project: Project) -> None:
    first = policy.allow(project, "codex", "project")
    second = policy.allow(project, "claude", "project")

    assert first.listed == ("codex",)
    assert first.warnings[0] == "Only codex may be used now: every other agent is refused."
    assert second.listed == ("codex", "claude")
    policy.deny(project, "codex", "project")
    assert policy.undeny(project, "codex", "project").listed == ()
    policy.deny(project, "gemini", "project")
    assert "still denied" in policy.allow(project, "gemini", "project").warnings[-1]
    back = policy.undeny(project, "gemini", "project")
    assert back.listed == ()
    policy.deny(project, "opencode", "project")
    assert "not among those allowed" in policy.undeny(project, "opencode", "project").warnings[-1]


def test_of_two_denials_at_once_none_is_lost(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def somebody_was_first(path: Path, *, clock: Clock) -> Iterator[None]:
        with file_lock(path, clock=clock):
            say(project, '[policy]\ndenied = ["gemini"]\n')
            yield

    monkeypatch.setattr(layer_file, "file_lock", somebody_was_first)

    assert policy.deny(project, "codex", "project").listed == ("gemini", "codex")
    assert project.config.policy.denied == ("gemini", "codex")


def test_case_65_last_model_taken_out_takes_its_table_along(project: Project) -> None:
    say(project, "[policy]\nmax_depth = 1\n")
    agents.set_model(project, "codex", "m", "project")

    assert agents.unset_model(project, "codex", "project").changed
    assert not agents.unset_model(project, "codex", "project").changed
    assert layer_path(project, "project").read_text() == "[policy]\nmax_depth = 1\n"
    assert agents.set_model(project, "shell", "m", "project").ignored
    with pytest.raises(CaesarError, match="no agent 'codx'"):
        agents.set_model(project, "codx", "m", "project")
    with pytest.raises(CaesarError, match="empty"):
        agents.set_model(project, "codex", " ", "project")


def test_case_53_declared_agent_takes_the_place_of_a_built_in_one(project: Project) -> None:
    added = agents.add_agent(project, DeclaredAgent("codex", "sh", ("-c", "{{prompt}}")), "local")

    assert (added.replaced, added.overrides_native) == (False, True)
    assert added.bin_path is not None
    assert project.agents["codex"].bin == "sh"
    with pytest.raises(CaesarError, match="declares no agent 'codex'") as caught:
        agents.remove_agent(project, "codex", "project")
    assert "--local" in caught.value.hint
    assert agents.remove_agent(project, "codex", "local").restores
    assert project.agents["codex"].bin == "codex"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (DeclaredAgent("a", "x"), "no way to receive the brief"),
        (DeclaredAgent("a", "x", ("{{prmpt}}",)), "unknown token"),
        (DeclaredAgent("a", "x", ("{{prompt}}",), network_args=("{{net}}",)), "unknown token"),
        (DeclaredAgent("", "x", ("{{prompt}}",)), "id is empty"),
        (DeclaredAgent("a", " ", ("{{prompt}}",)), "program is empty"),
        (DeclaredAgent("a b", "x", ("{{prompt}}",)), "agent.0.id"),
    ],
)
def test_cases_48_and_49_declaration_that_cannot_work(
    project: Project, entry: DeclaredAgent, said: str
) -> None:
    with pytest.raises(CaesarError, match=said):
        agents.add_agent(project, entry, "project")
    assert not layer_path(project, "project").exists()


def test_case_51_arguments_are_cut_as_a_shell_would() -> None:
    assert agents.split_arguments("-m '{{model}}' \"a b\"") == ("-m", "{{model}}", "a b")
    with pytest.raises(CaesarError, match="quotation"):
        agents.split_arguments("-m 'open")


def test_role_added_again_keeps_its_prompt_file(project: Project) -> None:
    role = Role("reviewer", ("shell",), "read-only", timeout=5000)

    added = roles.add_role(project, role, "project")

    assert (added.replaced, added.role.system_prompt_file) == (True, "roles/reviewer.md")
    shown = roles.show_role(project, "reviewer")
    assert (shown["agents"], shown["timeout"], shown["provenance"]) == (["shell"], 5000, "project")
    assert roles.remove_role(project, "reviewer", "project").restores
    assert project.config.roles["reviewer"].agents == ("codex", "antigravity")
    with pytest.raises(CaesarError) as caught:
        roles.remove_role(project, "reviewer", "project")
    assert "built in" in caught.value.hint


def test_field_of_an_inherited_role_brings_the_whole_role(project: Project) -> None:
    written = set_value(project, "role.reviewer.model", ["m"], "local")

    assert written.took_over
    assert project.config.roles["reviewer"].model == "m"
    assert project.config.roles["reviewer"].agents == ("codex", "antigravity")
    assert not set_value(project, "role.reviewer.timeout", ["5m"], "local").took_over
    assert unset_value(project, "role.reviewer.model", "local").changed
    assert project.config.roles["reviewer"].timeout == 300_000


def test_what_we_write_is_trusted_and_what_was_there_is_not(project: Project) -> None:
    say(project, "[worktree]\nsetup = ['curl evil']\n")

    set_value(project, "checks.commands", ["make test"], "project")
    agents.add_agent(project, DeclaredAgent("mine", "sh", ("{{prompt}}",)), "local")

    fresh = [command.text for command in review(project.root, project.config).fresh]
    assert fresh == ["curl evil"]
    set_value(project, "worktree.setup", ["make deps", "curl evil"], "project")
    assert [c.text for c in review(project.root, project.config).fresh] == ["curl evil"]
    set_value(project, "worktree.setup", ["make deps"], "project")
    assert review(project.root, project.config).is_trusted


def test_files_are_checked_one_by_one_with_doubts(project: Project) -> None:
    say(project, "[policy]\ndenied = ['codx']\n")
    assert [(c.scope, c.exists, c.error is None) for c in check_files(project)] == [
        ("global", False, True),
        ("project", True, True),
        ("local", False, True),
    ]
    assert doubts(project) == [
        "policy.denied names 'codx', which is no agent. Did you mean 'codex'?"
    ]
    say(project, "[[agent]]\nid = 'a'\nbin = 'x'\n", "local")
    bad = check_files(project)[2].error
    assert bad is not None
    assert str(layer_path(project, "local")) in bad.message


@pytest.mark.parametrize(
    ("keys", "line", "said", "hint"),
    [
        ('args = ["--yes"]', 8, "has no way to receive the brief", 'prompt = "stdin"'),
        ("", 5, "has no way to receive the brief", "{{promptFile}}"),
        ('args = [\n  "{{promt}}",\n]', 8, "unknown token {{promt}}", "{{prompt}}"),
        ('prompt = "none"\nnetwork_args = ["{{net}}"]', 9, "unknown token {{net}}", "Known"),
    ],
)
def test_cases_48_49_complaint_about_an_agent_names_file_and_line(
    project: Project, keys: str, line: int, said: str, hint: str
) -> None:
    good = '[[agent]]\nid = "good"\nbin = "x"\nprompt = "none"\n'
    path = say(project, f'{good}[[agent]]\nid = "bad"\nbin = "x"\n{keys}\n')

    with pytest.raises(CaesarError) as caught:
        _ = project.agents

    checked = check_files(project)[1].error
    assert checked is not None
    for error in (caught.value, checked):
        assert error.message.startswith(f"{path}:{line}: Agent bad")
        assert said in error.message
        assert hint in error.hint
