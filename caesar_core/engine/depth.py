"""How deep we are in a chain of delegations."""

from __future__ import annotations

import os
from collections.abc import Mapping

import psutil

from caesar_core.engine.request import depth_in


def current_depth(environment: Mapping[str, str] = os.environ) -> int:
    """Return how deep we are ourselves: 0 for a person or a main agent; garbage reads as 0."""
    return depth_in(environment)


def depth_of_server() -> int:
    """Return how deep a server is whose client did not hand its environment on.

    Some start their MCP servers with a clean one; what started them still shows its own.
    """
    try:
        above = psutil.Process().parents()
    except psutil.Error:
        above = []
    return max([current_depth(), *map(_depth_of, above)])


def _depth_of(process: psutil.Process) -> int:
    try:
        return current_depth(process.environ())
    except (psutil.Error, OSError):
        return 0
