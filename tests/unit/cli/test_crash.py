"""A defect leaves its traceback where nobody else can lead it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from caesar_core.cli import main as cli_main
from caesar_core.cli.crash import keep_traceback
from caesar_core.store.layout import Layout


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """Return a project that is not where we stand; temporary files go beside it."""
    made = Layout(tmp_path / "project")
    made.state.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return made


@pytest.mark.parametrize("form", ["--root {}", "--root={}"])
def test_the_log_is_that_of_the_project_that_was_asked_for(layout: Layout, form: str) -> None:
    arguments = [*form.format(layout.root).split(), "show", "t_1"]

    assert keep_traceback(arguments) == str(layout.log)
    assert "t_1" in layout.log.read_text()
    assert stat.S_IMODE(layout.log.stat().st_mode) == 0o600


def test_where_the_folder_is_gone_a_new_file_of_our_own_takes_it(
    layout: Layout, tmp_path: Path
) -> None:
    Path.cwd().rmdir()

    names = {keep_traceback(["ps"]), keep_traceback(["ps", "--", "--root", str(layout.root)])}

    assert len(names) == 2
    for path in map(Path, names):
        assert path.parent == tmp_path / "tmp"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not layout.log.exists()


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_what_stands_in_the_place_of_the_log_is_not_written_to(
    layout: Layout, tmp_path: Path, kind: str
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    if kind == "link":
        layout.log.symlink_to(victim)
    else:
        os.mkfifo(layout.log)

    kept = Path(keep_traceback(["--root", str(layout.root), "ps"]))

    assert kept.parent == tmp_path / "tmp"
    assert victim.read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "spoken"),
    [(["ps", "--json", "--nonsense"], True), (["ps", "--nonsense", "--", "--json"], False)],
)
def test_json_behind_two_dashes_is_not_for_us(
    layout: Layout, capsys: pytest.CaptureFixture[str], arguments: list[str], spoken: bool
) -> None:
    assert cli_main.run_cli(arguments) == 2

    out = capsys.readouterr().out
    assert (out != "") is spoken
    if spoken:
        assert json.loads(out)["error"]["exit_code"] == 2
