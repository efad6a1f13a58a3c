"""A project in a real repository, and `caesar` as a real process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

from caesar_core.identity import ProcessRef, is_alive
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from tests.warm import plain_environment, run_caesar

T = TypeVar("T")
TEN_LINES = """#!/usr/bin/env bash
read_objective='import json, os
print(json.load(open(os.environ["CAESAR_TASK_FILE"]))["objective"])'
objective=$(python3 -c "$read_objective")

# ... the work ...

cat > "$CAESAR_REPORT_PATH" <<END
{"protocol": "caesar.report/v1", "status": "success", "summary": "Handled: $objective"}
END
"""


@dataclass
class Ran:
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Caesar:
    """A project and the command line to work with it."""

    root: Path
    env: dict[str, str]
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __call__(
        self, *args: str, cwd: Path | None = None, env: Mapping[str, str] = {}, stdin: str = ""
    ) -> Ran:
        done = run_caesar(args, cwd=cwd or self.root, env={**self.env, **env}, stdin=stdin.encode())
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *args: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "caesar_core", *args],
            cwd=self.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.started.append(process)
        return process

    def run(self, objective: str, *args: str, agent: str = "shell") -> Any:
        return self("run", "--agent", agent, objective, "--json", *args).json

    def detach(self, objective: str, *args: str, agent: str = "shell") -> str:
        ran = self("run", "--agent", agent, objective, "--detach", *args)
        assert ran.code == 0, ran.err
        return ran.out.strip()

    def record(self, task_id: str) -> Record:
        found = RecordStore(self.layout).get(task_id)
        assert found is not None
        return found

    def wait(self, task_id: str, status: Callable[[Record], bool] | None = None) -> Record:
        wanted = status or (lambda record: not record.is_active)
        return eventually(lambda: self.record(task_id), wanted)

    @property
    def layout(self) -> Layout:
        return Layout(self.root)

    @property
    def gate(self) -> Path:
        return self.root.parent / "open"

    @property
    def at_the_gate(self) -> str:
        """A command that ends when the gate is opened, so that no test counts on a duration."""
        return f"until [ -e '{self.gate}' ]; do sleep 0.02; done"

    def declare(self, agent_id: str, script: str, extra: str = 'prompt = "none"') -> None:
        path = self.root / ".caesar" / f"{agent_id}.sh"
        path.parent.mkdir(exist_ok=True)
        path.write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        with (self.root / ".caesar" / "config.toml").open("a") as file:
            file.write(f'[[agent]]\nid = "{agent_id}"\nbin = "{path}"\n{extra}\n')

    def git(self, *args: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.root, env=self.env, capture_output=True, check=True
        )
        return done.stdout.decode()


def eventually(get: Callable[[], T], wanted: Callable[[T], bool], bound: float = 20.0) -> T:
    """Return what `get` gives as soon as it is `wanted`."""
    until = time.monotonic() + bound
    while not wanted(value := get()):
        assert time.monotonic() < until, f"still {value!r}"
        time.sleep(0.02)
    return value


def kill(process: ProcessRef | None) -> None:
    """Kill -9, and wait until nobody can take it for alive."""
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    eventually(lambda: is_alive(process), lambda alive: not alive)


def processes_of(task_id: str) -> list[psutil.Process]:
    """Return the living processes that carry the task's marker."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("CAESAR_TASK_ID") == task_id and process.status() != "zombie":
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.fixture
def caesar(tmp_path: Path) -> Iterator[Caesar]:
    root = tmp_path / "project"
    root.mkdir()
    home = tmp_path / "home"
    home.mkdir()
    temporary = tmp_path / "tmp"  # what a killed process leaves goes with the test
    temporary.mkdir()
    env = plain_environment() | {
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "CAESAR_DEMO_PACE": "0.02",
        "CAESAR_TRUST": "1",
        "TMPDIR": str(temporary),
    }
    (home / ".gitconfig").write_text(
        "[user]\nname = Tester\nemail = t@example.org\n[init]\ndefaultBranch = main\n"
    )
    made = Caesar(root.resolve(), env)
    made.git("init", "--quiet")
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    made.git("add", "--all")
    made.git("commit", "--quiet", "-m", "first")
    yield made
    for process in made.started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    for record in RecordStore(made.layout).scan().records:
        if record.is_active:
            made("cancel", record.id)
