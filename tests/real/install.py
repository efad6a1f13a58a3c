"""Install the CLIs from npm at their pinned versions: `python -m tests.real.install [ID…]`."""

from __future__ import annotations

import shutil
import subprocess
import sys

from tests.real.clis import CACHE, CLIS, Cli


def install(cli: Cli) -> bool:
    """Install one CLI unless it is there; whether it is there now."""
    if cli.is_installed:
        return True
    _say(f"Installing {cli.package}@{cli.version} ...")
    draft = CACHE / f".{cli.id}-{cli.version}"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel", "error"]
    done = subprocess.run(
        [*command, "--prefix", str(draft), f"{cli.package}@{cli.version}"], check=False
    )
    if done.returncode == 0:
        shutil.rmtree(cli.folder, ignore_errors=True)
        draft.rename(cli.folder)
    return cli.is_installed


def main(wanted: list[str]) -> int:
    """Install what is missing; what cannot be installed is skipped by the tests, which say so."""
    if shutil.which("npm") is None:
        _say("npm is not installed: only what is in the cache already will be tested.")
        return 0
    chosen = [cli for cli in CLIS if not wanted or cli.id in wanted]
    for cli in [cli for cli in chosen if not install(cli)]:
        _say(f"{cli.id} could not be installed; its tests will be skipped.")
    return 0


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
