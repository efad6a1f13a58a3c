"""Killed in each phase, cut off from the disk, flooded: a right final state, and no more memory."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from caesar_core.store.records import Record
from tests.integration.engine.conftest import Caesar, eventually, kill, processes_of

MIB = 1 << 20


def _in_phase(caesar: Caesar, phase: str) -> str:
    """Start a task and return its id as soon as it is in the phase."""
    caesar.layout.caesar.mkdir()
    text = "[policy]\nmax_parallel = 1\n"
    if phase == "setup":
        text += f'[worktree]\nsetup = ["{caesar.at_the_gate}"]\n'
    caesar.layout.config.write_text(text)
    if phase == "slot":
        caesar.wait(caesar.detach(caesar.at_the_gate), lambda r: r.phase == "agent")
    task_id = caesar.detach(f"echo x > x.txt; {caesar.at_the_gate}; seq 600 | split -l 1 -a 3")
    wanted = {phase, None} if phase == "outcome" else {phase}
    if phase == "outcome":
        caesar.gate.touch()
    if phase != "pending":
        caesar.wait(task_id, lambda r: r.phase in wanted and r.supervisor is not None)
    return task_id


def _kill(caesar: Caesar, task_id: str, who: str) -> None:
    record = caesar.record(task_id)
    if record.supervisor is not None and record.is_active:
        kill(record.supervisor)
    if who == "both":
        for process in processes_of(task_id):
            process.kill()


@pytest.mark.parametrize(
    ("phase", "who"),
    [
        ("pending", "both"),
        ("setup", "both"),
        ("slot", "supervisor"),
        ("agent", "supervisor"),
        ("agent", "both"),
        ("outcome", "supervisor"),
    ],
)
def test_r3_killed_in_any_phase_the_task_ends_right_at_the_next_look(
    caesar: Caesar, phase: str, who: str
) -> None:
    task_id = _in_phase(caesar, phase)
    _kill(caesar, task_id, who)
    caesar.gate.touch()

    assert caesar("ps").code == 0

    record = caesar.wait(task_id)
    lost = phase == "agent" and who == "both"
    ended = (record.status, record.report_status, record.report_source, record.exit_code)
    assert ended == (
        ("failed", "failed", "synthesized", None)
        if lost
        else ("succeeded", "success", "file", None if phase == "agent" else 0)
    )
    assert caesar.layout.task(task_id).report.is_file()
    assert processes_of(task_id) == []
    branches = caesar.git(
        "branch", "--list", "--format=%(refname:short)", f"caesar/*{task_id[2:10]}*"
    )
    assert branches.split() == [record.branch]
    eventually(caesar.layout.lease(task_id).exists, lambda held: not held)
    assert caesar("diff", task_id).code == 0


def test_r2_a_torn_lease_of_our_own_task_does_not_keep_it_for_ever(caesar: Caesar) -> None:
    task_id = caesar.detach("sleep 60")
    caesar.wait(task_id, lambda record: record.agent_process is not None)
    _kill(caesar, task_id, "both")
    (caesar.layout.lease(task_id) / "marker.json").write_text('{"pid": 1')

    caesar("ps")

    assert caesar.wait(task_id).status == "failed"
    eventually(caesar.layout.lease(task_id).exists, lambda held: not held)


def test_r2_every_file_of_a_task_torn_at_once_and_no_traceback(caesar: Caesar) -> None:
    whole = caesar.run("echo w > w.txt")["task_id"]
    torn = caesar.run("echo x > x.txt")["task_id"]
    files = [path for path in caesar.layout.task(torn).dir.rglob("*") if path.is_file()]
    for path in (*files, caesar.layout.record(torn)):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])

    listed = caesar("ps", "--json")

    assert whole in {task["id"] for task in listed.json["tasks"]}
    assert "damaged" in listed.err
    for command in ("show", "logs", "diff", "apply", "cancel"):
        ran = caesar(command, torn)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith(f"caesar: The record of {torn} is damaged: not JSON: ")
    assert caesar("watch", "--once").code == 0
    assert caesar("apply", whole).code == 0


def test_p8_a_flood_of_200_megabytes_costs_the_supervisor_no_memory(caesar: Caesar) -> None:
    """F4: what it takes in is what was added."""
    caesar.declare("flood", "head -c 200000000 /dev/zero | tr '\\0' 'x' | fold -w 99; sleep 0.5")
    task_id = caesar.detach("x", agent="flood")
    record = caesar.wait(task_id, lambda record: record.agent_process is not None)
    assert record.supervisor is not None
    supervisor = record.supervisor.pid
    peaks = []

    def look() -> Record:
        peaks.append(memory_of(supervisor))
        return caesar.record(task_id)

    after = eventually(look, lambda record: not record.is_active, 50)

    assert caesar.layout.task(task_id).raw_log.stat().st_size > 200_000_000
    assert after.status == "succeeded"
    assert max(peaks) - peaks[0] < 50 * MIB, (peaks[0] // MIB, max(peaks) // MIB)


def memory_of(pid: int) -> int:
    """Return the resident bytes of a process, 0 when it is gone."""
    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.NoSuchProcess:
        return 0


def test_d15_a_patch_of_20_megabytes_streams(caesar: Caesar) -> None:
    """200 MB behave alike; twenty keep the suite quick. Of git's own memory nothing is said."""
    task_id = caesar.run("seq 1 2600000 > big.txt")["task_id"]
    process = caesar.start("diff", task_id)
    assert process.stdout is not None
    size = peak = 0
    while chunk := process.stdout.read(MIB):
        size += len(chunk)
        peak = max(peak, memory_of(process.pid))

    assert process.wait(10) == 0
    assert size > 20_000_000
    assert 0 < peak < 100 * MIB, peak // MIB
    assert caesar("apply", task_id).code == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system of its own may be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_g28_a_full_disk_ends_the_task_and_leaves_no_half_document(
    caesar: Caesar, small_disk: Path
) -> None:
    root = small_disk / "project"
    caesar.git("clone", "--quiet", str(caesar.root), str(root))
    full = Caesar(root, caesar.env)

    ran = full("run", "--agent", "shell", "head -c 9000000 /dev/zero > big; echo done", "--json")

    assert "Traceback" not in ran.err
    assert ran.code == 1
    for path in root.joinpath(".caesar").rglob("*.json"):
        assert path.read_bytes().rstrip().endswith((b"}", b"]")), path
    [task] = [record for record in _records(full) if record.status]
    assert task.status in {"succeeded", "failed"}
    assert not task.is_active
    (Path(task.workspace) / "big").unlink(missing_ok=True)
    assert full("ps").code == 0
    assert full("show", task.id).code == 0


def test_g28_a_limit_on_file_sizes_is_survived_like_a_full_disk(caesar: Caesar) -> None:
    """The same without a file system of its own: SIGXFSZ and EFBIG instead of ENOSPC."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    command = [sys.executable, "-m", "caesar_core", "run", "--agent", "shell", "--json"]
    done = subprocess.run(
        [*command, "seq 1 200000"],
        cwd=caesar.root,
        env=caesar.env,
        preexec_fn=limit,
        capture_output=True,
        check=False,
        timeout=50,
    )

    assert b"Traceback" not in done.stderr
    assert done.returncode == 1
    [record] = _records(caesar)
    assert not record.is_active


def _records(caesar: Caesar) -> tuple[Record, ...]:
    from caesar_core.store.record_store import RecordStore

    return RecordStore(caesar.layout).scan().records
