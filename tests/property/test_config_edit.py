"""Editing a configuration file changes what was asked for and nothing else in it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from caesar_core.config.edit import ConfigDocument
from caesar_core.config.models import ConfigFile

WORDS = st.text("abc.é'\"#[]=\\ ", min_size=1, max_size=8).filter(lambda word: word.strip())
COMMENTS = st.lists(
    st.sampled_from(["# why\n", "  # indented = 1\n", "\n", "# [policy]\n", "#\u2028x\n"]),
    max_size=3,
).map("".join)


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@st.composite
def lists(draw: st.DrawFn) -> str:
    """Return an array in one of the ways people write them."""
    items = [quoted(word) for word in draw(st.lists(WORDS, max_size=3, unique=True))]
    if draw(st.booleans()):
        return f"[{', '.join(items)}]"
    return "[\n" + "".join(f"  {item}, # {n}\n" for n, item in enumerate(items)) + "]"


@st.composite
def sections(draw: st.DrawFn) -> str:
    """Return one section with comments before, between and after its keys."""
    policy = ["max_depth = 3", "default_mode = 'write'  # yes", f"denied = {draw(lists())}"]
    inline = "max_parallel_by_agent = { a = 1, b = 2 }"
    models = [["a = 'x'", '"b.c" = "y" # dotted'], ['"b.c" = "y"']]
    name, keys = draw(
        st.sampled_from(
            [
                ("[policy]", [*policy, inline]),
                ("[ policy ] # rules", policy),
                ("[policy]", []),
                ("[models]", draw(st.sampled_from(models))),
                ("[worktree]", [f"setup = {draw(lists())}", "link = ['z']"]),
                (
                    "[environment]",
                    [
                        "redact = true",
                        'deny = ["""\n[policy]\n"""]',
                        "pass = ['''\n# x\n#''']",
                        "set = {}",
                    ],
                ),
                ("[environment.set]", ["A = 'b'"]),
            ]
        )
    )
    lines = [f"{draw(COMMENTS)}{key}\n" for key in draw(st.permutations(keys))]
    return f"{name}\n{''.join(lines)}{draw(COMMENTS)}"


def role(name: str, comments: str) -> str:
    return f'[[role]]\n{comments}name = "{name}"\nagents = ["a"] # who\nmode = "write"\n{comments}'


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Return a valid configuration file: sections and roles in any order."""
    found: dict[str, str] = {}
    for text in draw(st.lists(sections(), max_size=4)):
        name = text.splitlines()[0].partition("#")[0].strip("[ ]")
        if not any(name.startswith(known) or known.startswith(name) for known in found):
            found[name] = text
    roles = [role(name, draw(COMMENTS)) for name in draw(st.sets(st.sampled_from("rst")))]
    return draw(COMMENTS) + "".join(draw(st.permutations([*found.values(), *roles])))


PATHS = st.sampled_from(
    [
        (("policy", "max_depth"), 7),
        (("policy", "max_parallel"), 2),
        (("policy", "denied"), ["x", "y"]),
        (("policy", "max_parallel_by_agent", "c"), 9),
        (("models", "b.c"), "z"),
        (("models", "new"), "m"),
        (("environment", "set", "A"), "it's"),
        (("checks", "commands"), ["make", {"run": "x", "timeout": "5s"}]),
    ]
)
TEXTS = st.tuples(documents(), st.booleans(), st.booleans(), st.booleans())


def variant(text: str, crlf: bool, bom: bool, cut: bool) -> str:
    """Return the same document as another editor saves it."""
    text = text.removesuffix("\n") if cut else text
    text = text.replace("\n", "\r\n") if crlf else text
    return f"\ufeff{text}" if bom else text


def plain(text: str) -> dict[str, Any]:
    data: dict[str, Any] = tomllib.loads(text.removeprefix("\ufeff"))
    return data


def changed(data: dict[str, Any], keys: Sequence[str], value: Any) -> dict[str, Any]:
    inner = data.get(keys[0], {})
    return {**data, keys[0]: value if len(keys) == 1 else changed(inner, keys[1:], value)}


def without_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without tables that hold nothing, which mean nothing."""
    inner = {k: without_empty(v) if isinstance(v, dict) else v for k, v in data.items()}
    return {key: value for key, value in inner.items() if value != {}}


def comment_lines(text: str) -> list[str]:
    return [line for line in clean_lines(text) if line.lstrip().startswith("#")]


def keeps(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether every line of `before` is in `after`, in the same order."""
    rest = iter(after)
    return all(line in rest for line in before)


@settings(max_examples=150, deadline=None)
@given(TEXTS, PATHS)
def test_setting_a_value_changes_nothing_else(
    made: tuple[str, bool, bool, bool], change: tuple[tuple[str, ...], Any]
) -> None:
    """Case 72: comments, order and everything else stay; case 62: nothing is added to it."""
    text, (keys, value) = variant(*made), change
    document = ConfigDocument(text, "config.toml")
    document.set(keys, value)
    edited = document.text()

    assert plain(edited) == changed(plain(text), keys, value)
    assert keeps(comment_lines(text), comment_lines(edited))
    assert keeps(untouched(text, keys), clean_lines(edited))
    assert edited.startswith("\ufeff") is text.startswith("\ufeff")
    assert "\r\n" not in text or "\n" not in edited.replace("\r\n", "")
    again = ConfigDocument(edited, "config.toml")
    again.set(keys, value)
    assert again.text() == edited


@settings(max_examples=100, deadline=None)
@given(TEXTS, PATHS)
def test_taking_a_value_out_again_keeps_every_comment(
    made: tuple[str, bool, bool, bool], change: tuple[tuple[str, ...], Any]
) -> None:
    text, (keys, value) = variant(*made), change
    document = ConfigDocument(text, "config.toml")
    document.set(keys, value)
    assert document.unset(keys)
    assert not document.unset(keys)
    edited = document.text()

    before, after = without_empty(plain(text)), without_empty(plain(edited))
    wanted = ConfigDocument(text, "config.toml")
    wanted.unset(keys)
    assert after == without_empty(wanted.data)
    assert set(before) - set(after) <= {keys[0]}
    assert keeps(comment_lines(text), comment_lines(edited))


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.sampled_from("rstu"), st.booleans())
def test_entries_are_written_and_dropped_alone(
    made: tuple[str, bool, bool, bool], name: str, dropped: bool
) -> None:
    text = variant(*made)
    before = plain(text)
    others = [entry for entry in before.get("role", []) if entry["name"] != name]
    document = ConfigDocument(text, "config.toml")
    entry = {"name": name, "agents": ["b", "c"], "mode": "read-only"}
    assert document.put_entry("role", entry) is (len(others) < len(before.get("role", [])))
    assert document.entry("role", name) == entry
    if dropped:
        assert document.drop_entry("role", name)
    after = plain(document.text())

    found = after.pop("role", [])
    assert [e for e in found if e["name"] != name] == others
    assert [e for e in found if e["name"] == name] == ([] if dropped else [entry])
    before.pop("role", None)
    assert after == before
    if not dropped:
        assert keeps(comment_lines(text), comment_lines(document.text()))
    ConfigFile.model_validate(after)


def clean_lines(text: str) -> list[str]:
    return text.removeprefix("\ufeff").replace("\r", "").split("\n")


def untouched(text: str, keys: Sequence[str]) -> list[str]:
    """Return the lines that belong to no value that has to change."""
    kept, inside = [], False
    for line in clean_lines(text):
        key = line.strip().partition("=")[0].strip(" \"'")
        inside = inside or key in {keys[-1], keys[1]}
        if line.strip() and not inside:
            kept.append(line)
        inside = inside and line != "]" and (line.endswith("= [") or line.startswith("  "))
    return kept
