"""The small modules that everything stands on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesar_core.clock import FakeClock, iso, parse_iso
from caesar_core.durations import BadDurationError, parse_duration
from caesar_core.errors import CaesarError, NotFoundError
from caesar_core.ids import (
    AmbiguousIdError,
    check_id,
    is_safe_id,
    new_task_id,
    resolve_prefix,
    shortest_prefixes,
)
from caesar_core.text import clip, human_bytes, human_duration, one_line, slug, visible


@given(st.text())
def test_t1_no_control_or_bidi_character_survives(text: str) -> None:
    for harmless in (visible(text), visible(text, keep_newlines=True).replace("\n", "")):
        codes = {ord(character) for character in harmless}
        assert not codes & {*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), 0x200E}
        harmless.encode()


def test_escape_sequences_become_visible() -> None:
    assert visible("\x1b[31m\x07\x9b\u202e\tx\n") == "␛[31m␇\ufffd\ufffd    x␊"
    assert visible("a\nb", keep_newlines=True) == "a\nb"
    assert visible("plain") == "plain"


@given(st.text(), st.integers(1, 50))
def test_one_line_is_one_line(text: str, limit: int) -> None:
    assert "\n" not in one_line(text, limit)
    assert len(one_line(text, limit)) <= limit


def test_clip_and_slug_and_human_figures() -> None:
    assert (clip("abcdef", 4), clip("abc", 4)) == ("abc…", "abc")
    assert slug("Élan vital: naïve_test!") == "elan-vital-naive-test"
    assert slug("日本") == ""
    assert [human_bytes(n) for n in (5, 1_400, 20_000_000)] == ["5 B", "1.4 kB", "20 MB"]
    assert human_duration(0) == human_duration(0.04) == human_duration(-1) == "<0.1s"
    assert [human_duration(s) for s in (0.42, 13, 252, 7_500, 273_600)] == [
        "0.4s", "13s", "4m12s", "2h05m", "3d04h",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("600000", 600_000), (5, 5), ("90s", 90_000), ("10m", 600_000), ("2h", 7_200_000),
     ("600h", 2_160_000_000), ("14d", 1_209_600_000), ("1ms", 1), (" 3s ", 3_000)],
)  # fmt: skip
def test_durations(text: str | int, wanted: int) -> None:
    assert parse_duration(text) == wanted


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5h", "1h30m", "5x", "s", "9" * 13, "٣s"])
def test_bad_durations_name_what_was_meant(text: str) -> None:
    with pytest.raises(BadDurationError, match="timeout"):
        parse_duration(text, what="timeout")


@pytest.mark.parametrize(
    "text", ["", ".", "..", "a/b", "a\\b", "a\0b", "-a", ".a", "a..b", "a" * 200, "ä", "a\n"]
)
def test_case_111_ids_that_could_leave_the_store(text: str) -> None:
    assert not is_safe_id(text)
    with pytest.raises(CaesarError):
        check_id(text)


def test_prefixes() -> None:
    ids = ["t_aab", "t_abc", "t_b"]

    assert resolve_prefix("t_aa", ids) == "t_aab"
    assert resolve_prefix("b", ids) == "t_b"
    assert resolve_prefix("t_b", [*ids, "t_bc"]) == "t_b"
    with pytest.raises(AmbiguousIdError, match="t_aab"):
        resolve_prefix("t_a", ids)
    with pytest.raises(NotFoundError):
        resolve_prefix("t_x", ids)


@given(st.lists(st.uuids().map(lambda u: f"t_{u.hex}"), min_size=1, unique=True))
def test_shortest_prefixes_are_unique_and_resolve(ids: list[str]) -> None:
    shortened = shortest_prefixes(ids)

    assert len(set(shortened.values())) == len(ids)
    assert all(resolve_prefix(short, ids) == full for full, short in shortened.items())


def test_new_ids_are_safe_and_different() -> None:
    made = {new_task_id() for _ in range(100)}

    assert len(made) == 100
    assert all(is_safe_id(task_id) for task_id in made)


def test_moments() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678_900, tzinfo=UTC)

    assert iso(moment) == "2026-01-02T03:04:05.678Z"
    assert parse_iso("2026-01-02T03:04:05.678Z") == moment.replace(microsecond=678_000)
    assert parse_iso("soon") is None
    clock = FakeClock(moment)
    clock.sleep(5)
    assert (clock.now() - moment).total_seconds() == 5
