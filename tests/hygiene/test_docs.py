from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from caesar_core.cli.main import cli
from caesar_core.cli.table import ENTRIES
from caesar_core.config.explain import known_keys
from caesar_core.config.models import ConfigFile
from caesar_core.config.settings import Checks, EnvironmentRules, Furnishing, Policy
from tests.hygiene.source import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
READ = [ROOT / "README.md", *PAGES]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# What a table says where the value is not JSON.
SHOWN = {600_000: '"10m"', 1_800_000: '"30m"'}


def by_name(path: Path) -> str:
    return path.name


def test_generated_tables_are_current() -> None:
    """`python docs/generate.py` brings them up to date."""
    done = subprocess.run(
        [sys.executable, str(DOCS / "generate.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("page", READ, ids=by_name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(without_code(page.read_text("utf-8"))):
        name, _, anchor = link.partition("#")
        if ":" in name:
            continue
        target = page if not name else page.parent / name
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", READ, ids=by_name)
def test_commands_and_flags_in_examples_exist(page: Path) -> None:
    for line in examples(page.read_text("utf-8")):
        check_command(line)


def test_every_command_has_a_section() -> None:
    titles = set(HEADING.findall((DOCS / "commands.md").read_text("utf-8")))
    expected = {"protocol schema" if name == "protocol" else name for name in ENTRIES}
    assert expected <= titles


def test_every_page_is_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    assert sorted(re.findall(r" ([\w-]+\.md)", nav)) == [page.name for page in PAGES]


def test_the_overview_leads_to_every_page() -> None:
    overview = (DOCS / "index.md").read_text("utf-8")
    assert [page.name for page in PAGES if f"]({page.name})" not in overview] == ["index.md"]


@pytest.mark.parametrize(
    ("section", "defaults"),
    [
        ("policy", Policy()),
        ("worktree", Furnishing()),
        ("environment", EnvironmentRules()),
        ("checks", Checks()),
    ],
)
def test_every_setting_is_documented_with_its_default(section: str, defaults: object) -> None:
    text = (DOCS / "configuration.md").read_text("utf-8")
    part = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    model = ConfigFile.model_fields[section].annotation
    fields = next(kind for kind in model.__args__ if hasattr(kind, "model_fields")).model_fields  # type: ignore[union-attr]
    renamed = {"pass": "passed", "set": "assigned"}
    for name, spec in fields.items():
        key = spec.alias or name
        value = getattr(defaults, renamed.get(key, key))
        shown = SHOWN.get(value) if type(value) is int and value in SHOWN else json.dumps(value)
        assert f"| `{key}` | `{shown}` |" in part


@pytest.mark.parametrize("kind", ["role", "agent", "answer"])
def test_every_key_of_an_entry_is_documented(kind: str) -> None:
    text = (DOCS / "configuration.md").read_text("utf-8")
    part = text.partition(f"\n## {kind}\n")[2].partition("\n## ")[0]
    assert [key for key in known_keys((kind, 0)) if f"| `{key}` |" not in part] == []


def test_tests_that_prove_conformance_exist() -> None:
    named = re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", (DOCS / "conformance.md").read_text("utf-8"))
    assert named
    for path, test in named:
        assert f"def {test}" in (ROOT / "tests" / path).read_text("utf-8"), (path, test)


def test_every_requirement_is_listed_once() -> None:
    rows = re.findall(
        r"^\| ([SM]\d+) \|", (DOCS / "conformance.md").read_text("utf-8"), re.MULTILINE
    )
    assert rows == [*(f"S{n}" for n in range(1, 22)), *(f"M{n}" for n in range(1, 15))]


@pytest.mark.parametrize(
    "page", [*READ, *sorted((ROOT / "screenshots").glob("*.svg"))], ids=by_name
)
def test_no_path_of_this_machine(page: Path) -> None:
    text = page.read_text("utf-8")
    assert str(ROOT) not in text
    assert not re.search(r"/(work|root|tmp)/\w", text)


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]+`", "", FENCE.sub("", text))


def anchors(page: Path) -> set[str]:
    titles = HEADING.findall(FENCE.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def examples(text: str) -> Iterator[str]:
    """Yield what follows `caesar` wherever it is typed: after a prompt or a pipe, or inline."""
    fenced = "\n".join(
        line
        for language, body in FENCE.findall(text)
        for line in body.splitlines()
        if language in {"yaml", "bash"} or line.startswith("$ ")
    )
    inline = "\n".join(re.findall(r"`(caesar [^`\n]+)`", FENCE.sub("", text)))
    typed = re.sub(r'"?\$\((?!caesar)[^)]*\)"?', "VALUE", f"{fenced}\n{inline}")
    for line in typed.splitlines():
        for found in re.finditer(r"(?:^|[\s(=])caesar (?=[a-z-])([^|)#]*)", line.split("  #")[0]):
            yield found[1]


def check_command(line: str) -> None:
    words = shlex.split(re.sub("[\"']", "", line))
    found: click.Command = cli
    while words and isinstance(found, click.Group) and not words[0].startswith("-"):
        context = click.Context(found)
        inner = found.get_command(context, words.pop(0)) or found.get_command(context, "start")
        assert inner is not None, line
        found = inner
    known = {"-h", "--help"}
    known |= {n for p in found.params if isinstance(p, click.Option) for n in p.opts}
    own = words[: words.index("--")] if "--" in words else words
    unknown = {word.partition("=")[0] for word in own if re.match(r"-{1,2}[a-z]", word)} - known
    assert not unknown, line
