"""What a role says to its agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.config.settings import Role
from caesar_core.engine.roles import role_prompt
from caesar_core.errors import CaesarError
from caesar_core.store.layout import Layout

ROLE = Role("reviewer", agents=("a",), mode="write", system_prompt_file="roles/reviewer.md")


def test_case_77_a_missing_prompt_is_empty_and_an_unreadable_one_is_named(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    path = layout.caesar / "roles" / "reviewer.md"

    assert role_prompt(layout, None) == ""
    assert role_prompt(layout, ROLE) == ""
    path.parent.mkdir(parents=True)
    path.write_text("You review.")
    assert role_prompt(layout, ROLE) == "You review."
    path.write_bytes(b"caf\xe9")
    with pytest.raises(CaesarError, match="role reviewer"):
        role_prompt(layout, ROLE)
    path.unlink()
    path.mkdir()
    with pytest.raises(CaesarError) as caught:
        role_prompt(layout, ROLE)
    assert "role reviewer" in caught.value.message
    assert str(path) in caught.value.message


def test_a_prompt_that_a_link_leads_out_of_the_folder_is_not_read(tmp_path: Path) -> None:
    """A repository must not hand a key of the person to an agent."""
    layout = Layout(tmp_path / "project")
    roles = layout.caesar / "roles"
    roles.mkdir(parents=True)
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "reviewer.md").write_text("the key")
    (roles / "inside.md").write_text("You review.")

    (roles / "reviewer.md").symlink_to(secrets / "reviewer.md")
    with pytest.raises(CaesarError, match="role reviewer is not below"):
        role_prompt(layout, ROLE)
    (roles / "reviewer.md").unlink()
    (roles / "inside.md").unlink()
    roles.rmdir()
    roles.symlink_to(secrets)
    with pytest.raises(CaesarError, match="leads elsewhere"):
        role_prompt(layout, ROLE)
