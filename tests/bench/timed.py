"""Run one command and say what it took; a small process, because sizes are inherited.

The largest resident size of a child begins with that of the process that forked it, and the bench
itself has the dashboard loaded.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time


def main() -> None:
    """Run the arguments; print wall seconds, the largest size in KiB, and the exit code."""
    nothing = subprocess.DEVNULL
    began = time.monotonic()
    code = subprocess.call(sys.argv[1:], stdin=nothing, stdout=nothing)
    took = time.monotonic() - began
    print(json.dumps((took, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, code)))


if __name__ == "__main__":
    main()
