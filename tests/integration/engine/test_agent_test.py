"""`agents test`: an agent is tried with a task that changes nothing."""

from __future__ import annotations

import pytest

from caesar_core.engine.agent_test import run_agent_test
from caesar_core.engine.service import Service
from caesar_core.errors import CaesarError
from tests.integration.engine.conftest import Caesar


def service(caesar: Caesar, monkeypatch: pytest.MonkeyPatch) -> Service:
    for name, value in caesar.env.items():
        monkeypatch.setenv(name, value)
    return Service(caesar.root)


def test_an_agent_that_reports_responded(caesar: Caesar, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = run_agent_test(service(caesar, monkeypatch), "shell")
    assert (tried.responded, tried.status, tried.report_source) == (True, "succeeded", "file")
    assert tried.duration_ms > 0
    assert caesar.record(tried.task_id).mode == "read-only"


def test_an_agent_that_only_ends_did_not_respond(
    caesar: Caesar, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 0 alone is no answer."""
    caesar.declare("mute", "exit 0")
    tried = run_agent_test(service(caesar, monkeypatch), "mute")
    assert (tried.responded, tried.report_source) == (False, "synthesized")
    assert tried.to_json()["responded"] is False


def test_an_unknown_agent_is_refused_before_anything_starts(
    caesar: Caesar, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CaesarError):
        run_agent_test(service(caesar, monkeypatch), "nobody")
    assert not caesar.layout.tasks.exists() or not list(caesar.layout.tasks.iterdir())
