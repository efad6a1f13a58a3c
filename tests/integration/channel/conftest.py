"""The project and the command line of the engine's tests."""

from __future__ import annotations

from tests.integration.engine.conftest import caesar

__all__ = ["caesar"]
