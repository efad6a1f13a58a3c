"""What is agreed to is kept, whoever else agrees at the same moment."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from caesar_core.config.settings import Config, RepositoryCommand
from caesar_core.engine import trust

CONFIG = Config(repository_commands=(RepositoryCommand("project.agent.x", "x"),))


def test_two_agreements_at_once_are_both_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    here, there = Path("/here"), Path("/there")
    other = Thread(target=trust.agree, args=(there, CONFIG, environment))
    save = trust._save

    def save_late(*args: object) -> None:
        monkeypatch.setattr(trust, "_save", save)
        other.start()
        other.join(0.3)  # comes to its end now only if nothing keeps it out
        save(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(trust, "_save", save_late)
    trust.agree(here, CONFIG, environment)
    other.join()

    assert trust.review(here, CONFIG, environment).is_trusted
    assert trust.review(there, CONFIG, environment).is_trusted
    assert trust.revoke(here, environment)
    assert not trust.review(here, CONFIG, environment).is_trusted
    assert trust.review(there, CONFIG, environment).is_trusted
