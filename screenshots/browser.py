"""A headless Chromium, driven by chromedriver's own protocol: enough to look at one page."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

DRIVER: Final = shutil.which("chromedriver")
PATIENCE: Final = 30.0
_ARGUMENTS: Final = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")


class Browser:
    """One window with one page."""

    def __init__(self, port: int, size: tuple[int, int], folder: Path) -> None:
        self._driver = f"http://127.0.0.1:{port}"
        arguments = [*_ARGUMENTS, f"--window-size={size[0]},{size[1]}", f"--user-data-dir={folder}"]
        wanted = {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}
        self._session = self._ask("POST", "/session", {"capabilities": wanted})["sessionId"]

    def open(self, address: str) -> None:
        """Load a page."""
        self._ask("POST", f"/session/{self._session}/url", {"url": address})

    def evaluate(self, script: str) -> Any:
        """Run a script in the page and return its result."""
        path = f"/session/{self._session}/execute/sync"
        return self._ask("POST", path, {"script": script, "args": []})

    def type(self, *keys: str) -> None:
        """Press keys; WebDriver has code points of its own for those without a letter."""
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keyboard", "actions": strokes}]
        self._ask("POST", f"/session/{self._session}/actions", {"actions": actions})

    def picture(self) -> bytes:
        """Return what is seen, as a PNG."""
        return base64.b64decode(self._ask("GET", f"/session/{self._session}/screenshot"))

    def close(self) -> None:
        """End the browser."""
        self._ask("DELETE", f"/session/{self._session}")

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._driver + path, data=data, method=method)  # noqa: S310 - it is ours
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            return json.load(answer)["value"]


@contextmanager
def browser(size: tuple[int, int], folder: Path, port: int = 9517) -> Iterator[Browser]:
    """Start a browser and end it; `folder` is its profile."""
    assert DRIVER is not None
    with subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL) as driver:
        page = None
        try:
            _wait(port)
            page = Browser(port, size, folder)
            yield page
        finally:
            if page is not None:
                page.close()
            driver.terminate()


def _wait(port: int) -> None:
    last = time.monotonic() + PATIENCE
    while time.monotonic() < last:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=1).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise SystemExit("chromedriver did not start")
