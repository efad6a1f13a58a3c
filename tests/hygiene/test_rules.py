"""Rules of the house that a type checker cannot hold."""

from __future__ import annotations

import ast
import re

import pytest

from tests.hygiene.source import Source, product, sources

MAX_LINES = 400
AGENT_PROGRAMS = ("caesar_core/agents/",)  # run as processes of their own: stdout is their stream
CLOCKS = re.compile(r"(^time\.\w+|\b(date|datetime)\.(now|utcnow|today|fromtimestamp))$")
WRITES = re.compile(
    r"^(print|pprint|(click\.)?s?echo|click\.secho|"
    r"sys\.(__)?std(out|err)(__)?\.(write|writelines|buffer)(\..*)?)$"
)


def every_source() -> tuple[Source, ...]:
    return sources("caesar_core", "caesar_tui", "tests")


@pytest.mark.parametrize("source", every_source(), ids=lambda source: source.name)
def test_no_file_is_too_long_to_read(source: Source) -> None:
    assert source.text.count("\n") <= MAX_LINES


def test_nothing_is_left_to_do_in_a_comment() -> None:
    words = re.compile("|".join(rf"\b{word}\b" for word in ("TO" + "DO", "FIX" + "ME", "X" * 3)))
    assert [source.name for source in every_source() if words.search(source.text)] == []


def test_only_the_clock_reads_the_clock() -> None:
    others = [source for source in product() if source.name != "caesar_core/clock.py"]
    reads = [(s.name, line, n) for s in others for line, n in s.uses() if CLOCKS.search(n)]
    imports = [
        (s.name, line, n)
        for s in others
        for line, n in s.imports()
        if n.partition(".")[0] == "time"
    ]
    assert reads + imports == []


def test_one_module_writes_to_the_terminal() -> None:
    """The front door prints the version, before anything is worth importing."""
    allowed = ("caesar_core/cli/output.py", "caesar_core/__main__.py", *AGENT_PROGRAMS)
    found = [
        f"{source.name}:{line} {name}"
        for source in sources("caesar_core")
        if not source.name.startswith(allowed)
        for line, name in source.uses()
        if WRITES.match(name)
    ]
    assert found == []


def test_only_the_servers_import_mcp() -> None:
    found = [
        f"{source.name}:{line}"
        for source in product()
        if not source.name.startswith("caesar_core/servers/")
        for line, name in source.imports()
        if name.partition(".")[0] in ("mcp", "mcp_types")
    ]
    assert found == []


def test_the_store_alone_knows_where_things_lie() -> None:
    """`repo` and `config` may not import the store; they know the name only to refuse it."""
    refuse_it = (
        "caesar_core/config/models.py",
        "caesar_core/repo/materialize.py",
        "caesar_core/repo/snapshot.py",
    )
    found = [
        f"{source.name}:{line} {text!r}"
        for source in product()
        if source.name not in ("caesar_core/store/layout.py", *refuse_it)
        for line, text in source.texts()
        if re.match(r"\.caesar(/|$)", text)
    ]
    assert found == []


def test_every_module_says_what_it_is() -> None:
    assert [s.name for s in product() if not ast.get_docstring(s.tree)] == []
