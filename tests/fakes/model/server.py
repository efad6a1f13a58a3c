"""The scripted model as an HTTP server.

Base URL: `http://127.0.0.1:PORT/<run>/<scenario>`. One server serves many runs at once; `<run>` is
any label, under which :attr:`ModelServer.seen` counts the requests. Run it by hand with
`python -m tests.fakes.model.server [PORT]`.
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from tests.fakes.model.answer import make_turn, next_step
from tests.fakes.model.anthropic import AnthropicWire
from tests.fakes.model.chat import ChatWire
from tests.fakes.model.gemini import GeminiWire
from tests.fakes.model.responses import ResponsesWire
from tests.fakes.model.script import Hang, Refuse
from tests.fakes.model.turn import Json, SseEvent, Turn, Wire

_WIRES: Final[Mapping[str, Wire]] = {
    "responses": ResponsesWire(),
    "completions": ChatWire(),
    "messages": AnthropicWire(),
    "generateContent": GeminiWire(),
    "streamGenerateContent": GeminiWire(),
}
_MESSAGES: Final = {401: "invalid api key", 429: "rate limited", 500: "scripted server error"}
_MODEL: Final[Json] = {
    "id": "scripted",
    "object": "model",
    "type": "model",
    "created": 1,
    "owned_by": "caesar",
    "display_name": "Scripted",
    "created_at": "2026-01-01T00:00:00Z",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """One request: the run's label, the scenario, the last part of its path, the step played."""

    run: str
    scenario: str
    endpoint: str
    step: str
    body: Json


class ModelServer:
    """Serves while the `with` block is open."""

    def __init__(self, port: int = 0) -> None:
        self.seen: list[Seen] = []
        self._http = _Server(("127.0.0.1", port), self.seen)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return self._http.server_port

    def url(self, run: str, scenario: str) -> str:
        """Return the base URL of a scenario, without any `/v1`."""
        return f"http://127.0.0.1:{self.port}/{run}/{scenario}"

    def requests(self, run: str) -> list[Seen]:
        """Return what was asked in a run, without side requests such as counting tokens."""
        return [seen for seen in self.seen if seen.run == run and seen.step]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], seen: list[Seen]) -> None:
        super().__init__(address, _Handler)
        self.seen = seen
        self.stopping = threading.Event()

    def shutdown(self) -> None:
        self.stopping.set()
        super().shutdown()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up: scripted failures make them."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass

    def do_HEAD(self) -> None:
        self._send(200, {})

    def do_GET(self) -> None:
        if "models" in self._parts():
            self._send(200, {"object": "list", "data": [_MODEL], "models": [], "has_more": False})
        else:
            self._send(404, {"error": {"message": "not found"}})

    def do_POST(self) -> None:
        body = self._body()
        parts = self._parts()
        run, scenario = (*parts, "", "")[:2]
        endpoint = parts[-1].rpartition(":")[2] if parts else ""
        wire = _WIRES.get(endpoint)
        try:
            step = next_step(wire, scenario, body) if wire else None
        except KeyError:
            self._send(404, {"error": {"message": f"no scenario {scenario!r}"}})
            return
        name = type(step).__name__ if step else ""
        self.server.seen.append(Seen(run, scenario, endpoint, name, body))
        if wire is None or step is None:
            self._count(endpoint)
        elif isinstance(step, Refuse):
            message = _MESSAGES.get(step.code, "scripted error")
            self._send(step.code, wire.error(step.code, message), step.headers)
        elif isinstance(step, Hang):
            self._hang(step.seconds)
        else:
            self._answer(wire, make_turn(wire, step, body), body, endpoint)

    def _count(self, endpoint: str) -> None:
        known = {"count_tokens": {"input_tokens": 100}, "countTokens": {"totalTokens": 100}}
        found = known.get(endpoint)
        self._send(200 if found else 404, found or {"error": {"message": "not found"}})

    def _answer(self, wire: Wire, turn: Turn, body: Json, endpoint: str) -> None:
        if body.get("stream") or endpoint == "streamGenerateContent":
            self._open_stream()
            for event in wire.events(turn, body):
                self._push(event)
        elif turn.broken:
            self.close_connection = True
        else:
            self._send(200, wire.document(turn, body))

    def _hang(self, seconds: float) -> None:
        self._open_stream()
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.server.stopping.wait(0.2):
            self.wfile.write(b": still here\n\n")
            self.wfile.flush()

    def _open_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def _push(self, event: SseEvent) -> None:
        name, data = event
        text = data if isinstance(data, str) else json.dumps(data)
        named = f"event: {name}\n" if name else ""
        self.wfile.write(f"{named}data: {text}\n\n".encode())
        self.wfile.flush()

    def _send(self, code: int, document: Json, headers: Mapping[str, str] = {}) -> None:
        content = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _parts(self) -> list[str]:
        return self.path.partition("?")[0].strip("/").split("/")

    def _body(self) -> Json:
        raw = self._raw_body()
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def _raw_body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)


def main() -> None:
    """Serve until interrupted."""
    with ModelServer(int(sys.argv[1]) if len(sys.argv) > 1 else 0) as server:
        sys.stdout.write(f"{server.url('any', 'write')}\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
