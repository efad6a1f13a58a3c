from __future__ import annotations

from pathlib import Path

from caesar_core.store.checkpoint import load_checkpoint, save_checkpoint
from caesar_core.store.layout import TaskFiles


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    files = TaskFiles(tmp_path / "t_1")
    assert load_checkpoint(files) is None
    save_checkpoint(files, {"offset": 7, "text": "é\ud800"})
    assert load_checkpoint(files) == {"offset": 7, "text": "é\ud800"}


def test_r2_a_damaged_checkpoint_is_none(tmp_path: Path) -> None:
    files = TaskFiles(tmp_path)
    save_checkpoint(files, {"offset": 7})
    whole = files.checkpoint.read_bytes()
    for length in range(len(whole)):
        files.checkpoint.write_bytes(whole[:length])
        assert load_checkpoint(files) is None
    files.checkpoint.write_bytes(b"[" * 100_000)
    assert load_checkpoint(files) is None
    files.checkpoint.write_bytes(b"[]")
    assert load_checkpoint(files) is None
