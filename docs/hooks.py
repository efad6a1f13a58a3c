# ruff: noqa: INP001 - a script, not a package
"""Bring the screenshots, which lie beside the pages and not among them, into the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PICTURES = Path(__file__).resolve().parents[1] / "screenshots"


def on_files(files: Any, config: Any) -> Any:
    """Add the pictures to the files of the site."""
    from mkdocs.structure.files import File

    for picture in sorted(PICTURES.glob("*.png")):
        name = f"{PICTURES.name}/{picture.name}"
        files.append(File.generated(config, name, abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Point the pages at them."""
    return markdown.replace(f"](../{PICTURES.name}/", f"]({PICTURES.name}/")
