"""What may have changed: a hint, never a fact."""

from __future__ import annotations

from typing import Literal, TypeAlias

What: TypeAlias = Literal["record", "stream", "mail"]
Mark: TypeAlias = tuple[What, str]
