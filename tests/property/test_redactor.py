from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caesar_core.process.environment import Redactor

SECRETS = st.lists(st.text("ab", min_size=8, max_size=12), max_size=4)


@given(SECRETS, st.lists(st.text("ab", max_size=9), max_size=20), st.data())
def test_any_chunking_hides_the_same(
    secrets: list[str], pieces: list[str], data: st.DataObject
) -> None:
    planted = [data.draw(st.sampled_from([*secrets, ""])) for _ in pieces]
    text = "".join(a + b for a, b in zip(pieces, planted, strict=True)).encode()
    redactor = Redactor(secrets)
    whole = redactor.redact(text)
    size = data.draw(st.integers(1, 7))
    done = [redactor.feed(text[i : i + size]) for i in range(0, len(text), size)]
    assert b"".join(done) + redactor.flush() == whole
    for secret in secrets:
        assert secret.encode() not in whole
