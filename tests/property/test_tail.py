from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caesar_core.store.tail import Tail

CONTENT = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"bb", b"\r", b"\0\xff"])).map(b"".join)
CUTS = st.lists(st.integers(0, 60), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=CONTENT, cuts=CUTS, limit=st.integers(1, 9), resume=st.booleans())
def test_any_chunking_gives_the_same_lines(
    tmp_path: Path, content: bytes, cuts: list[int], limit: int, *, resume: bool
) -> None:
    path = tmp_path / "log"
    path.unlink(missing_ok=True)
    tail, found = Tail(path), []
    bounds = sorted(min(cut, len(content)) for cut in cuts)
    for begin, end in zip([0, *bounds], [*bounds, len(content)], strict=True):
        with path.open("ab") as file:
            file.write(content[begin:end])
        while True:
            read = tail.read(limit)
            assert not read.reset
            assert read.start + sum(map(len, read.lines)) <= read.offset
            found += read.lines
            if not read.more:
                break
        if resume:
            tail = Tail(path, read.offset)
    assert found == [line.removesuffix(b"\r") for line in content.split(b"\n")[:-1]]
    assert tail.offset == content.rfind(b"\n") + 1
