"""Bad configuration on the command line, and the depth of delegations."""

from __future__ import annotations

import pytest

from tests.integration.engine.conftest import Caesar


def test_case_56_typo_in_the_configuration_names_file_line_and_key(caesar: Caesar) -> None:
    caesar.layout.caesar.mkdir()
    caesar.layout.config.write_text("[policy]\n# a comment\nmax_paralel = 2\n")

    ran = caesar("run", "--agent", "shell", "x", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (2, "config")
    assert f"{caesar.layout.config}:3" in ran.err
    assert "'max_parallel'" in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[policy", "line 1"),
        ("[policy]\nmax_parallel = 0", "max_parallel"),
        ('[policy]\nmax_parallel = "2"', "max_parallel"),
        ('[policy]\ndefault_timeout = "5x"', "default_timeout"),
        ('[worktree]\ncopy = ["../x"]', "copy"),
        ('[worktree]\nlink = ["/abs"]', "link"),
        ('[worktree]\nlink = [".git/x"]', "link"),
        ('[models]\ncodex = ""', "codex"),
        ('[[agent]]\nid = "a b"\nbin = "x"', "id"),
        ('[[agent]]\nid = "a"\nbin = "x"', "prompt"),
        ('[[agent]]\nid = "a"\nbin = "x"\nargs = ["{{promt}}"]', "{{prompt}}"),
        ('[[role]]\nname = "r"\nmode = "write"', "agents"),
    ],
)  # fmt: skip
def test_cases_57_58_68_bad_configuration_is_refused_with_its_place(
    caesar: Caesar, text: str, said: str
) -> None:
    """Case 64 as well, as far as it is about reading."""
    caesar.layout.caesar.mkdir()
    caesar.layout.config.write_text(text)

    ran = caesar("run", "--agent", "shell", "x")

    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not caesar.layout.records.exists()


def test_case_82_depth_is_counted_and_limited(caesar: Caesar) -> None:
    refused = caesar("run", "--agent", "shell", "x", "--json", env={"CAESAR_DEPTH": "1"})
    garbage = caesar("run", "--agent", "shell", "true", env={"CAESAR_DEPTH": "-7x"})

    assert (refused.code, refused.json["error"]["code"]) == (2, "policy_refused")
    assert garbage.code == 0
