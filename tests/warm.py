"""`caesar` as a process of its own, without the price of its imports.

Most of the time of a short command line goes into starting Python and importing the same modules.
The suite runs some thousand of them, so one process a worker imports the modules once and forks
for each command line. The child has its own arguments, folder, environment and descriptors, runs
the same front door as `python -m caesar_core`, and ends as an interpreter ends.

What is about the start itself (imports, signals, terminals, variables that the interpreter reads)
starts an interpreter: `_warm_enough` tells.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

_LENGTH = struct.Struct("!q")
_NUMBER = struct.Struct("!i")
_REPOSITORY = Path(__file__).parent.parent
_READ_AT_START = ("PYTHON", "LC_", "LANG", "COVERAGE")
_IN_A_PIPE = 4096  # what any pipe takes without a reader


def run_caesar(
    args: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    timeout: float = 50,
) -> subprocess.CompletedProcess[bytes]:
    """Run `caesar` with these arguments; what `subprocess.run` would return.

    Raises:
        TimeoutExpired: it did not end within `timeout` seconds, and was killed.

    """
    if _warm_enough(env):
        return _run_warm(args, cwd, env, stdin, timeout)
    return subprocess.run(
        [sys.executable, "-m", "caesar_core", *args],
        cwd=cwd,
        env=env,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=timeout,
    )


def _warm_enough(env: Mapping[str, str]) -> bool:
    """Tell whether a forked interpreter behaves as a new one would with these variables."""
    ours = plain_environment()
    return all(
        ours.get(name) == env.get(name) for name in {*ours, *env} if name.startswith(_READ_AT_START)
    )


def _run_warm(
    args: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes, timeout: float
) -> subprocess.CompletedProcess[bytes]:
    with contextlib.ExitStack() as stack:
        source = stack.enter_context(_source(stdin))
        read_out, write_out = os.pipe()
        read_err, write_err = os.pipe()
        read_reply, write_reply = os.pipe()
        for descriptor in (read_out, read_err, read_reply):
            stack.callback(os.close, descriptor)
        try:
            request = {"args": list(args), "cwd": str(cwd), "env": dict(env)}
            _server().send(request, (source, write_out, write_err, write_reply))
        finally:
            for descriptor in (write_out, write_err, write_reply):
                os.close(descriptor)
        return _take_in(args, read_out, read_err, read_reply, timeout)


@contextlib.contextmanager
def _source(stdin: bytes) -> Iterator[int]:
    if len(stdin) > _IN_A_PIPE:
        with tempfile.TemporaryFile() as file:
            file.write(stdin)
            file.seek(0)
            yield file.fileno()
        return
    read, write = os.pipe()
    os.write(write, stdin)
    os.close(write)
    try:
        yield read
    finally:
        os.close(read)


def _take_in(
    args: Sequence[str], out: int, err: int, reply: int, timeout: float
) -> subprocess.CompletedProcess[bytes]:
    """Read all three pipes to their ends."""
    until = time.monotonic() + timeout
    read: dict[int, bytes] = {out: b"", err: b"", reply: b""}
    with selectors.DefaultSelector() as selector:
        for descriptor in read:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, until - time.monotonic()))
            if not ready:
                for (pid,) in _NUMBER.iter_unpack(read[reply]):
                    os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(list(args), timeout, read[out], read[err])
            for key, _ in ready:
                got = os.read(key.fd, 65_536)
                read[key.fd] += got
                if not got:
                    selector.unregister(key.fd)
    _, code = _NUMBER.iter_unpack(read[reply])
    return subprocess.CompletedProcess(list(args), code[0], read[out], read[err])


class _Server:
    """The process that forks, and the socket to it."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._one_at_a_time = threading.Lock()
        with theirs:
            started = subprocess.Popen(
                [sys.executable, "-m", "tests.warm", str(theirs.fileno())],
                cwd=_REPOSITORY,
                env=plain_environment(),
                # Pipes, as each child gets them: streams know from the start whether they can seek.
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
            )
        started.wait()  # it has forked: tests that count their children see none
        for pipe in (started.stdin, started.stdout, started.stderr):
            if pipe is not None:
                pipe.close()
        atexit.register(self._socket.close)

    def send(self, request: Mapping[str, object], descriptors: Sequence[int]) -> None:
        """Hand a command line over."""
        data = json.dumps(request, ensure_ascii=True).encode()
        with self._one_at_a_time:
            socket.send_fds(self._socket, [_LENGTH.pack(len(data))], descriptors)
            self._socket.sendall(data)


@cache
def _server() -> _Server:
    return _Server()


def plain_environment() -> dict[str, str]:
    """Return what a command line needs of the environment of the tests."""
    kept = ("PATH", "LANG", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"LC_ALL": "C.UTF-8"}


def _serve(control: socket.socket) -> int | None:
    """Fork for each request; `None` in the end, and in a child its exit code."""
    replies: dict[int, int] = {}
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    selector = selectors.DefaultSelector()
    selector.register(control, selectors.EVENT_READ)
    selector.register(woken, selectors.EVENT_READ)
    while True:
        ready = {key.fd for key, _ in selector.select()}
        if woken in ready:
            os.read(woken, 4096)
            _reap(replies)
        if control.fileno() not in ready:
            continue
        length, descriptors, _, _ = socket.recv_fds(control, _LENGTH.size, 4)
        if not length:
            return None
        request = json.loads(_exactly(control, _LENGTH.unpack(length)[0]))
        *standard, reply = descriptors
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            selector.close()
            control.close()
            for descriptor in (woken, waker, reply, *replies.values()):
                os.close(descriptor)
            return _become(request, standard)
        for descriptor in standard:
            os.close(descriptor)
        os.write(reply, _NUMBER.pack(pid))
        replies[pid] = reply


def _exactly(control: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        data += control.recv(length - len(data))
    return data


def _reap(replies: dict[int, int]) -> None:
    while replies:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        with contextlib.suppress(BrokenPipeError):
            os.write(replies[pid], _NUMBER.pack(os.waitstatus_to_exitcode(status)))
        os.close(replies.pop(pid))


def _become(request: Mapping[str, object], descriptors: Sequence[int]) -> int:
    """Be the process that was asked for."""
    from caesar_core.__main__ import main

    args, env = request["args"], request["env"]
    assert isinstance(args, list)
    assert isinstance(env, dict)
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(str(request["cwd"]))
    sys.argv[1:] = args
    return main()


def _import_all() -> None:
    """Import what command lines import, and look nothing up: each child does that by itself."""
    from importlib import import_module

    from caesar_core.cli.table import ENTRIES

    import_module("caesar_core.cli.main")
    for entry in ENTRIES.values():
        import_module(f"caesar_core.cli.commands.{entry.module}")
    for name in ("engine.service", "engine.delegate", "engine.resolve", "protocol.task"):
        import_module(f"caesar_core.{name}")


def _main() -> int:
    import gc

    if os.fork():
        os._exit(0)
    _import_all()
    gc.freeze()
    control = socket.socket(fileno=int(sys.argv[1]))
    code = _serve(control)
    if code is None:
        os._exit(0)
    return code


if __name__ == "__main__":
    sys.exit(_main())
