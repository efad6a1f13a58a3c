"""Layers of configuration: who wins, where it came from, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import pytest

from caesar_core.config.layers import global_config_path, load_config
from caesar_core.config.settings import AnswerRule, Check, Checks, Config


class Load(Protocol):
    """Writes up to three layers and merges them."""

    def __call__(self, *, far: str = "", project: str = "", local: str = "") -> Config: ...


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that writes up to three layers and merges them."""

    def load(*, far: str = "", project: str = "", local: str = "") -> Config:
        paths = [tmp_path / name for name in ("global.toml", "config.toml", "local.toml")]
        for path, text in zip(paths, (far, project, local), strict=True):
            if text:
                path.write_text(text)
        return load_config(paths[1], paths[2], global_file=paths[0])

    return load


def test_nothing_is_written_anywhere(load: Load) -> None:
    config = load()

    assert config == Config()
    assert sorted(config.roles) == ["implementer", "investigator", "reviewer"]
    assert config.layer_of("policy.max_parallel") == "default"


def test_fields_merge_one_by_one_and_know_their_layer(load: Load) -> None:
    config = load(
        far="[policy]\nmax_parallel = 8\ndefault_timeout = '2h'\n",
        project="[policy]\nmax_parallel = 2\n",
        local="[models]\ncodex = 'small'\n",
    )

    assert (config.policy.max_parallel, config.policy.default_timeout) == (2, 7_200_000)
    assert config.layer_of("policy.max_parallel") == "project"
    assert config.layer_of("policy.default_timeout") == "global"
    assert config.layer_of("models.codex") == "local"


def test_case_60_lists_replace_and_an_empty_one_clears(load: Load) -> None:
    config = load(
        far="[policy]\ndenied = ['a', 'b']\n[worktree]\ncopy = ['.env']\n",
        project="[policy]\ndenied = []\n[worktree]\ncopy = ['x', 'y/z']\n",
    )

    assert config.policy.denied == ()
    assert config.worktree.copy == ("x", "y/z")


def test_case_63_role_is_replaced_as_a_whole(load: Load) -> None:
    config = load(
        far='[[role]]\nname = "r"\nagents = ["a"]\nmode = "write"\nmodel = "m"\n',
        project='[[role]]\nname = "r"\nagents = ["b"]\nmode = "read-only"\n',
    )

    assert (config.roles["r"].agents, config.roles["r"].model) == (("b",), None)
    assert config.layer_of("role.r") == "project"
    assert "reviewer" in config.roles


def test_case_69_a_file_that_names_no_role_takes_none_away(load: Load) -> None:
    config = load(project="[policy]\nmax_parallel = 2\n", local="[models]\ncodex = 'small'\n")

    assert sorted(config.roles) == ["implementer", "investigator", "reviewer"]


def test_checks_are_texts_or_tables(load: Load) -> None:
    config = load(
        project="[checks]\ntimeout = '1m'\ncommands = ['make', {run = 'mypy', timeout = '5s'}]\n",
        local="[checks]\ntimeout = '2m'\n",
    )

    assert config.checks == Checks((Check("make"), Check("mypy", timeout=5000)), timeout=120_000)
    assert config.layer_of("checks.commands") == "project"


def test_answers_of_a_stronger_layer_come_first(load: Load) -> None:
    rule = "[[answer]]\nmatch = '{0}'\nanswer = '{1}'\n"
    config = load(far=rule.format("a", "1") + rule.format("b", "2"), project=rule.format("b", "3"))

    assert config.answers == (AnswerRule("b", "3"), AnswerRule("a", "1"))
    assert config.layer_of("answer.b") == "project"


def test_tables_merge_by_name_and_sizes_are_bytes(load: Load) -> None:
    config = load(
        far="[policy]\nmin_free_memory = '2GiB'\nmax_parallel_by_agent = {a = 1, b = 2}\n",
        project="[policy.max_parallel_by_agent]\nb = 3\n",
    )

    assert config.policy.min_free_memory == 2 << 30
    assert config.policy.max_parallel_by_agent == {"a": 1, "b": 3}
    assert config.layer_of("policy.max_parallel_by_agent.a") == "global"
    assert config.layer_of("policy.max_parallel_by_agent.b") == "project"


def test_only_files_of_the_project_bring_repository_commands(load: Load) -> None:
    agent = '[[agent]]\nid = "{0}"\nbin = "{0}"\nprompt = "none"\n'
    config = load(
        far=agent.format("mine"),
        project=agent.format("theirs") + "[worktree]\nsetup = ['make']\n",
        local="[environment]\nset = { A = 'b' }\npass = ['AWS_*']\nredact = false\ndeny = ['B']\n"
        "[policy]\nallow_inplace_write = true\ndefault_isolation = 'inplace'\n"
        "[checks]\ncommands = ['make test']\n"
        "[[answer]]\nmatch = 'branch'\nanswer = 'main'\n",
    )

    assert sorted(config.agents) == ["mine", "theirs"]
    assert [c.path for c in config.repository_commands] == [
        "project.agent.theirs",
        "project.worktree.setup.0",
        "local.checks.commands.0",
        "local.answer.0",
        "local.environment.set.A",
        "local.environment.pass",
        "local.environment.redact",
        "local.policy.allow_inplace_write",
    ]
    assert [c.text for c in config.repository_commands][3] == "branch -> main"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('args = ["a b"]', 'args = ["a", "b"]'),
        ('args = ["a"]\nnetwork_args = ["b"]', 'args = ["a", "b"]'),
        ('args = ["a"]\nnetwork_args = ["b"]', 'args = ["a", "[b]"]'),
        ('args = ["a"]\nnetwork_args = ["b c"]', 'args = ["a"]\nnetwork_args = ["b", "c"]'),
        ('args = ["a"]', 'args = ["a", ""]'),
    ],
)
def test_two_different_command_lines_never_read_alike(load: Load, one: str, other: str) -> None:
    agent = '[[agent]]\nid = "x"\nbin = "x"\nprompt = "none"\n'

    [first] = load(project=agent + one).repository_commands
    [second] = load(project=agent + other).repository_commands

    assert first.text != second.text


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({"HOME": "/h"}, "/h/.config/caesar/config.toml"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/x/caesar/config.toml"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": "relative"}, "/h/.config/caesar/config.toml"),
        ({}, "/.config/caesar/config.toml"),
    ],
)
def test_case_67_place_of_the_own_file(environment: dict[str, str], wanted: str) -> None:
    assert global_config_path(environment) == Path(wanted)
