"""Each CLI with a project of its own, and recordings when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.model.server import ModelServer
from tests.integration.engine.conftest import Caesar, caesar
from tests.real.clis import CLIS, Cli
from tests.real.project import RealProject

__all__ = ["caesar"]  # a fixture shared with the tests of the engine


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", action="store_true", help="keep the streams in tests/data/streams")


@pytest.fixture(scope="session")
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(params=CLIS, ids=lambda cli: cli.id)
def cli(request: pytest.FixtureRequest) -> Cli:
    chosen: Cli = request.param
    if not chosen.is_installed:
        pytest.skip(f"{chosen.id} not installed")
    return chosen


@pytest.fixture
def real(
    cli: Cli, caesar: Caesar, model: ModelServer, request: pytest.FixtureRequest
) -> RealProject:
    caesar.env["PATH"] = f"{cli.bin_folder}:{caesar.env['PATH']}"
    label = f"{cli.id}-{request.node.originalname}"
    return RealProject(cli, caesar, model, label, request.config.getoption("--record"))
