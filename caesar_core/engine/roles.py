"""What a role says to its agent, besides the defaults that the resolution takes from it."""

from __future__ import annotations

from typing import Final

from caesar_core.config.settings import Role
from caesar_core.errors import CaesarError
from caesar_core.store.atomic import read_bounded
from caesar_core.store.layout import Layout

_LARGEST: Final = 4 << 20


def role_prompt(layout: Layout, role: Role | None) -> str:
    """Return the role's prompt; empty when it has none or the file does not exist.

    Raises:
        CaesarError: the file is there and cannot be read, or a link leads out of `.caesar`; role
            and path are named.
    """
    if role is None or not role.system_prompt_file:
        return ""
    path = layout.caesar / role.system_prompt_file
    if not path.resolve().is_relative_to(layout.caesar.resolve()):
        raise CaesarError(
            f"The prompt of role {role.name} is not below .caesar: {path} leads elsewhere.",
            "A repository could hand any file of yours to an agent: put the prompt itself there.",
        )
    try:
        return read_bounded(path, _LARGEST).decode("utf-8")
    except FileNotFoundError:
        return ""
    except (CaesarError, UnicodeDecodeError) as error:
        raise CaesarError(f"The prompt of role {role.name} cannot be read: {error}.") from None
