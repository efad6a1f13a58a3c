"""What `tests.hostile.fuzz` feeds: each target takes bytes and raises only where there is a defect.

Nothing of caesar is imported on top, so that the fuzzer can instrument it first. Each target is
given a folder of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

Fed: TypeAlias = Callable[[bytes], None]
"""Reads one input."""


def report(_: Path) -> tuple[Fed, list[bytes]]:
    """Recover a report from a file, from what was printed and from the last words."""
    from caesar_core.engine.recover import RunFacts, recover_report
    from caesar_core.protocol.report import Report

    def feed(data: bytes) -> None:
        text = data[1:].decode("utf-8", "replace")
        way = data[:1]
        facts = {
            b"f": RunFacts(report_bytes=data[1:]),
            b"s": RunFacts(final_text=text, schema_tier=True),
            b"l": RunFacts(final_text=text, brief=text[:100]),
        }.get(way, RunFacts(raw_tail=text))
        found = recover_report(facts)
        document = json.dumps(found.report.to_json()).encode()
        assert found.report.status != "success" or found.source != "synthesized"
        Report.from_bytes(document)

    good = json.dumps(
        {
            "protocol": "caesar.report/v1",
            "status": "success",
            "summary": "x",
            "changes": [{"path": "a", "action": "modified"}],
            "findings": [{"severity": "low", "title": "t", "file": "f", "line": 1}],
            "commands_run": [{"command": "c", "exit_code": 0}],
            "usage": {"input_tokens": 1, "cost_usd": 0.1},
        }
    ).encode()
    fenced = b"words\n```caesar-report\n" + good + b"\n```\nwords {"
    return feed, [b"f" + good, b"s" + good, b"l" + fenced, b"r" + fenced, b"r" + good + good]


def streams(_: Path) -> tuple[Fed, list[bytes]]:
    """Translate lines of each CLI; the first byte says whose."""
    from caesar_core.agents.reading import read_object
    from caesar_core.agents.stream import JsonTranslator
    from tests.property.test_streams import AGENTS, check, check_end
    from tests.unit.agents.recordings import new_translator, recordings

    def feed(data: bytes) -> None:
        if not data:
            return
        translator: object = new_translator(AGENTS[data[0] % len(AGENTS)])
        assert isinstance(translator, JsonTranslator)
        lines = data[1:].decode("utf-8", "replace").split("\n")
        for line in lines:
            record = read_object(line)
            check(list((translator.translate(record) if record is not None else None) or ()))
            check(translator.hear(line))
        check([*translator.end_open_tools(), *translator.conclude(len(lines) % 3, lines[-1])])
        check_end(translator)

    seeds = []
    for one in recordings():
        if one.agent_id in AGENTS:
            whose = bytes([AGENTS.index(one.agent_id)])
            seeds.append(whose + "\n".join(one.lines).encode())
            seeds += [whose + line.encode() for line in one.lines]
    return feed, seeds


def patch(_: Path) -> tuple[Fed, list[bytes]]:
    """Read a patch, its rows and its hunks."""
    from caesar_core.errors import CaesarError
    from caesar_core.repo.hunks import raw_hunks, with_hunks
    from caesar_core.repo.patch import iter_rows, parse_patch

    def feed(data: bytes) -> None:
        for file in parse_patch(data):
            for hunk in file.hunks:
                for row in iter_rows(hunk):
                    assert row.left is not None or row.right is not None
        with suppress(CaesarError):
            hunks = raw_hunks(data)
            with_hunks(data, hunks, range(len(hunks)))

    head = b"diff --git a/x b/y\nsimilarity index 50%\nrename from x\nrename to y\n"
    body = b"index 1..2 100644\n--- a/x\n+++ b/y\n@@ -1,2 +1,2 @@ def f\n a\n-b\n+c\n"
    rest = b'diff --git "a/\\303\\244" "b/\\303\\244"\nnew file mode 100644\nGIT binary patch\n'
    return feed, [head + body, body + b"\\ No newline at end of file\n", rest + b"literal 3\nabc\n"]


def config(_: Path) -> tuple[Fed, list[bytes]]:
    """Read a configuration, and complain about it."""
    from caesar_core.config.read import parse_config
    from caesar_core.errors import CaesarError

    def feed(data: bytes) -> None:
        with suppress(CaesarError):
            parse_config("x.toml", data.decode("utf-8", "replace"))

    return feed, [
        b'[policy]\nmax_parallel = 2\nmin_free_memory = "1GiB"\ndefault_isolation = "auto"\n',
        b'[[agent]]\nid = "x"\nbin = "x"\nargs = ["{{prompt}}"]\n[agent.env]\nA = "b"\n',
        b'[roles.writer]\nagent = ["codex"]\nmode = "write"\ntimeout = "5m"\n',
        b'[worktree]\ncopy = [".env"]\nsetup = ["x"]\n[environment]\ndeny = ["*"]\n[checks]\n',
        b'[[answer]]\nmatch = "a(b"\nanswer = "x"\n[models]\ncodex = "m"\n',
    ]


def wire(_: Path) -> tuple[Fed, list[bytes]]:
    """Read an event; what was read can be written and is read again as the same."""
    from caesar_core.protocol.wire import (
        BadEventError,
        UnknownVersionError,
        decode_event,
        encode_event,
    )
    from tests.unit.agents.recordings import GOLDEN

    def feed(data: bytes) -> None:
        try:
            event = decode_event(data)
        except (BadEventError, UnknownVersionError):
            return
        written = encode_event(event)  # a lone surrogate does not come through
        assert encode_event(decode_event(written)) == written

    lines = [line for path in GOLDEN.glob("*.jsonl") for line in path.read_bytes().splitlines()]
    seeds = [
        b'{"protocol":"caesar.event/v1","seq":1,"at":"x","task_id":"t",' + x[1:] for x in lines
    ]
    return feed, [*lines, *seeds]


def documents(root: Path) -> tuple[Fed, list[bytes]]:
    """Read every other document of ours; the first byte says which."""
    from caesar_core.errors import CaesarError
    from tests.hostile.readers import READERS, RECORD, _bytes

    def put(place: Path, data: bytes) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)

    def feed(data: bytes) -> None:
        reader = READERS[data[0] % len(READERS)] if data else READERS[0]
        put(READERS[0].place(root), _bytes(RECORD))
        put(reader.place(root), data[1:])
        with suppress(CaesarError, FileNotFoundError):
            reader.read(root)
        reader.place(root).unlink()

    return feed, [bytes([number]) + reader.good for number, reader in enumerate(READERS)]


TARGETS: Final = {
    "report": report,
    "streams": streams,
    "patch": patch,
    "config": config,
    "wire": wire,
    "documents": documents,
}
