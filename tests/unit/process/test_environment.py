from __future__ import annotations

import json

import pytest

from caesar_core.process.environment import (
    EnvironmentRules,
    Redactor,
    agent_environment,
    looks_secret,
    redactor,
)

PARENT = {
    "PATH": "/bin",
    "GIT_DIR": "/elsewhere",
    "GIT_SSH_COMMAND": "ssh -i k",
    "CAESAR_TASK_ID": "t_outer",
    "CAESAR_REPORT_PATH": "/outer",
    "AWS_KEY": "a",
    "AWS_REGION": "eu",
}


def test_g9_git_and_outer_task_are_not_inherited() -> None:
    found = agent_environment(PARENT, {"CAESAR_TASK_ID": "t_inner"})
    assert found == {
        "PATH": "/bin",
        "AWS_KEY": "a",
        "AWS_REGION": "eu",
        "CAESAR_TASK_ID": "t_inner",
    }


def test_rules_deny_allow_and_set() -> None:
    rules = EnvironmentRules(
        deny=("AWS_*",),
        allow=("AWS_REGION", "GIT_SSH_*", "CAESAR_*"),
        set={"PATH": "/opt", "CAESAR_TASK_ID": "forged"},
    )
    assert agent_environment(PARENT, {"CAESAR_TASK_ID": "t"}, rules) == {
        "PATH": "/opt",
        "AWS_REGION": "eu",
        "GIT_SSH_COMMAND": "ssh -i k",
        "CAESAR_TASK_ID": "t",
    }


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("OPENAI_API_KEY", True),
        ("npm_token", True),
        ("DB_PASSWORD", True),
        ("GITHUB_PAT", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("KEYBOARD", False),
        ("PATH", False),
        ("PWD", False),
        ("SSH_AUTH_SOCK", False),
        ("GIT_TOKEN_FILE", False),
        ("AWS_ACCESS_KEY_ID", False),
        ("MONKEYS", False),
    ],
)
def test_secret_looking_names(name: str, secret: bool) -> None:
    assert looks_secret(name) is secret


def test_secrets_are_replaced_also_when_split_and_in_json() -> None:
    found = redactor({"API_KEY": 'ab"cd\nef-é', "TOKEN": "short", "HOME": "/home/someone"})
    data = 'x ab"cd\nef-é y short /home/someone '.encode()
    data += json.dumps({"k": 'ab"cd\nef-é'}).encode()
    pieces = [found.feed(data[i : i + 1]) for i in range(len(data))]
    done = (b"".join(pieces) + found.flush()).decode()
    assert done == 'x ••• y short /home/someone {"k": "•••"}'
    assert found.redact_text('say ab"cd\nef-é') == "say •••"


def test_only_a_possible_beginning_is_held_back() -> None:
    found = Redactor(["secret-value"])
    assert found.feed(b"hello secre") == b"hello "
    assert found.feed(b"cy") == b"secrecy"
    assert found.feed(b"s") == b""
    assert found.flush() == b"s"
    assert found.flush() == b""


@pytest.mark.parametrize("size", [1, 3, 8, 9])
def test_a_secret_that_begins_another_hides_no_part_of_it(size: int) -> None:
    found = Redactor(["abcdefgh", "abcdefghij"])
    text = b"abcdefghij abcdefgh abcdefghi"
    done = [found.feed(text[i : i + size]) for i in range(0, len(text), size)]
    assert (b"".join(done) + found.flush()).decode() == "••• ••• •••i"


def test_without_secrets_data_passes_as_it_is() -> None:
    found = redactor({"HOME": "/root"})
    data = bytes(range(256))
    assert found.feed(data) is data
    assert found.redact(data) is data
    assert found.flush() == b""
