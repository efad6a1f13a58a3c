"""Everything a repository's configuration can make us run or loosen waits for consent, by kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.config.layers import load_config
from caesar_core.engine.trust import UntrustedError, agree, require, review

NOBODY = Path("/nowhere/config.toml")
KINDS = {
    "agent": '[[agent]]\nid = "x"\nbin = "evil"\nprompt = "none"',
    "agent's arguments": '[[agent]]\nid = "x"\nbin = "sh"\nargs = ["-c", "evil"]\nprompt = "none"',
    "agent in place of ours": '[[agent]]\nid = "codex"\nbin = "evil"\nprompt = "none"',
    "setup": '[worktree]\nsetup = ["evil"]',
    "checks": '[checks]\ncommands = ["evil"]',
    "answer": '[[answer]]\nmatch = ".*"\nanswer = "yes"',
    "environment": '[environment.set]\nLD_PRELOAD = "evil.so"',
    "environment that passes": '[environment]\npass = ["AWS_*"]',
    "secrets shown": "[environment]\nredact = false",
    "writing in place": "[policy]\nallow_inplace_write = true",
}


@pytest.mark.parametrize("layer", ["config.toml", "config.local.toml"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_needs_consent_in_each_layer_of_the_repository(
    tmp_path: Path, kind: str, layer: str
) -> None:
    environment = {"XDG_STATE_HOME": str(tmp_path / "state")}
    path = tmp_path / layer
    path.write_text(KINDS[kind] + "\n")
    places = tmp_path / "config.toml", tmp_path / "config.local.toml"

    config = load_config(*places, global_file=NOBODY)

    with pytest.raises(UntrustedError):
        require(tmp_path, config, environment)
    with pytest.raises(UntrustedError):
        require(tmp_path, config, {**environment, "CAESAR_TRUST": "0"})
    agree(tmp_path, config, environment)
    require(tmp_path, config, environment)

    with pytest.raises(UntrustedError):
        require(tmp_path / "copy", config, environment)
    path.write_text(KINDS[kind].replace("evil", "worse").replace("yes", "no") + "\n")
    changed = load_config(*places, global_file=NOBODY)
    if changed.repository_commands != config.repository_commands:
        assert not review(tmp_path, changed, environment).is_trusted


@pytest.mark.parametrize("kind", KINDS)
def test_a_persons_own_configuration_needs_none(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(KINDS[kind] + "\n")
    config = load_config(tmp_path / "a", tmp_path / "b", global_file=path)
    require(tmp_path, config, {"XDG_STATE_HOME": str(tmp_path)})


def test_what_needs_none_cannot_run_anything(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[policy]\nmax_parallel = 1\ndenied = ["codex"]\n[models]\ncodex = "small"\n')
    config = load_config(path, tmp_path / "b", global_file=NOBODY)
    require(tmp_path, config, {"XDG_STATE_HOME": str(tmp_path)})
