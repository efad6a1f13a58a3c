"""Every complaint about a configuration file: which file, which line, what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caesar_core.config.read import ConfigError, read_config_file

ROLE = '[[role]]\nname = "{0}"\nagents = ["a"]\nmode = "write"\n'


def complaint(path: Path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read_config_file(path)
    assert caught.value.exit_code == 2
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "said", "hint"),
    [
        ("[policy]\n\nmax_paralel = 1", 3, "unknown key 'policy.max_paralel'", "'max_parallel'"),
        ("# x\n[polcy]\nx = 1", 2, "unknown key 'polcy'", "'policy'"),
        ("[policy]\nzzz = 1", 2, "unknown key 'policy.zzz'", "Known keys: allow_inplace_write"),
        ("policy = { max_depht = 1 }", 1, "policy.max_depht", "'max_depth'"),
        ("policy.max_depht = 1", 1, "policy.max_depht", "'max_depth'"),
        (ROLE.format("a") + "\n" + ROLE.format("b") + "sytem = 1", 10, "role.1.sytem", "Known"),
        ("[models]\na = 'b'\n" + ROLE.format("a") + "modell = 'x'", 7, "role.0.modell", "'model'"),
        ('[[role]]\nname = "a"\nagents = []', 1, "'role.0.mode' is missing", "add it"),
        (ROLE.format("a") + '[[role]]\nname = "b"', 5, "'role.1.agents' is missing", "add it"),
        ("[policy]\ndefault_mode = 'wirte'", 2, "'read-only' or 'write'", "'write'"),
        ("[policy]\ndefault_mode = 5", 2, "'read-only' or 'write'", "Write read-only or write."),
        ("[policy]\nmax_parallel = 0", 2, "max_parallel: less than 1.", "Write 1 or more."),
        ("[policy]\nmax_depth = -1", 2, "max_depth: less than 0.", "Write 0 or more."),
        ("[policy]\nmax_parallel = 'two'", 2, "not a whole number", "without quotes"),
        ("[policy]\nmax_parallel_by_agent = {a = 0}", 2, "max_parallel_by_agent.a", "1 or more"),
        ("[policy]\nmin_free_memory = '2 apples'", 2, "not a size", "2GiB"),
        ("[policy]\nmin_free_memory = true", 2, "write a size", "2GiB"),
        ("[policy]\ndefault_timeout = '-5m'", 2, "not a duration", "90s"),
        ("[policy]\ndefault_timeout = true", 2, "write a duration", "90s"),
        ("policy = 3", 1, "policy: not a table", "keys of its own"),
        ("role = [1]", 1, "role.0: not a table", "keys of its own"),
        ("nope = 1", 1, "unknown key 'nope'", "Known keys: agent"),
        ("nope = '''\n# x\n#y'''\n# z", 1, "unknown key 'nope'", "Known keys: agent"),
        ("[policy]\nallow_recursion = 'x'", 2, "neither true nor false", "without quotes"),
        ("[policy]\ndenied = 'a'", 2, "policy.denied: not a list", "Write a list"),
        *(
            (
                f'[[role]]\nname = "a"\nagents = []\nmode = "write"\nsystem_prompt_file = "{path}"',
                5,
                "role.0.system_prompt_file: write a path below",
                "Correct",
            )
            for path in ("/etc/passwd", "../../.ssh/id", "roles/../../x", "")
        ),
        ("[worktree]\ncopy = ['/etc']", 2, "worktree.copy.0: write a relative path", "Correct"),
        ("[worktree]\ncopy = [\n 'a',\n '../b']", 2, "worktree.copy.1", "Correct"),
        ("[worktree]\nlink = ['.git/x']", 2, "neither .git nor .caesar", "Correct"),
        ("[worktree]\nlink = ['.CAESAR']", 2, "neither .git nor .caesar", "Correct"),
        ("[worktree]\nlink = ['']", 2, "relative path", "Correct"),
        ("[worktree]\nsetup = ['']", 2, "worktree.setup.0: is empty", "Write something"),
        ("[models]\ncodex = ''", 2, "models.codex: is empty", "Write something"),
        ("[[agent]]\nid = 'a b'\nbin = 'x'", 2, "agent.0.id: not a name", "letters, digits"),
        ("[[answer]]\nmatch = '('\nanswer = 'x'", 2, "not a regular expression", "Correct"),
        ("[checks]\ncommands = [{ name = 'x' }]", 2, "'checks.commands.0.run' is missing", "add"),
        ("[environment.set]\nA = 1", 2, "environment.set.A: not a text", "in quotes"),
        (
            "[environment]\nset = { 'A=B' = 'x' }",
            2,
            "environment.set.A=B: no name of a variable",
            "Correct",
        ),
        ('[environment]\nset = { A = "\\u0000" }', 2, "cannot hold NUL", "Correct"),
        (ROLE.format("a") * 2, 5, "role 'a' stands there twice", "Keep one"),
        ("[policy]\nmax_parallel = \n", 2, "not valid TOML", "Mend that line"),
        ("[policy]\nmax_parallel = 1\n[policy]\n", 3, "not valid TOML", "Mend that line"),
        ("[policy]\nallowed = ['a'", 2, "not valid TOML", "Mend that line"),
    ],
)
def test_case_56_and_57_complaint_names_file_line_key_and_remedy(
    tmp_path: Path, text: str, line: int, said: str, hint: str
) -> None:
    """Cases 56, 57, 58, 64 and 68: a typo, a wrong value, a wrong duration or path, no TOML."""
    path = tmp_path / "config.toml"
    path.write_text(text)

    found = complaint(path)

    assert str(path) in found.message
    assert f"{path}:{line}:" in found.message or f"line {line}" in found.message
    assert said in found.message
    assert hint in found.hint


def test_case_59_configuration_that_is_a_folder(tmp_path: Path) -> None:
    found = complaint(tmp_path)

    assert (found.message, found.hint) == (
        f"{tmp_path} is not a file.",
        "Move it away or make it a TOML file.",
    )


def test_file_that_is_no_text_too_large_or_not_ours_to_read(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"[policy]\n# caf\xe9\n")
    assert complaint(path).message == f"{path}:2: not UTF-8 text."
    assert complaint(path).hint == "Save it as UTF-8."
    path.write_bytes(b"#" * (1 << 20) + b"\n")
    assert complaint(path).message == f"{path} is larger than 1 MiB."
    if os.geteuid() != 0:
        path.chmod(0)
        assert "Permission denied" in complaint(path).message
        assert "permissions" in complaint(path).hint


def test_file_of_another_editor_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes("\ufeff[policy]\r\nmax_parallel = 3\r\n".encode())

    policy = read_config_file(path).policy

    assert policy is not None
    assert policy.max_parallel == 3
