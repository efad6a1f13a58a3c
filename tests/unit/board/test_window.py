from __future__ import annotations

from caesar_core.board.window import EventWindow
from caesar_core.protocol.event import Message
from caesar_core.protocol.wire import encode_event
from tests.unit.board.build import event

LOG = b"".join(encode_event(event(Message(text=f"m{i}"), i, seq=i)) for i in range(1_000))


def seqs(window: EventWindow) -> list[int]:
    return [found.seq for found in window.events]


def test_f4_a_window_opened_at_the_end_reads_backwards_until_the_start() -> None:
    window = EventWindow(len(LOG))
    while not window.is_complete:
        start, end = window.page_before()
        assert end - start <= 256 * 1024
        window.prepend(LOG[start:end])
    assert seqs(window) == list(range(1_000))
    assert (window.start, window.end) == (0, len(LOG))


def test_appending_drops_the_oldest_down_to_the_low_mark() -> None:
    window = EventWindow(high=100, low=60)
    gone = sum(window.append(line + b"\n") for line in LOG.split(b"\n")[:-1])
    assert len(window) <= 100
    assert window.dropped == gone == 1_000 - len(window)
    assert LOG[window.start :].count(b"\n") == len(window)


def test_reading_back_drops_the_newest_and_the_window_can_go_on_from_its_end() -> None:
    window = EventWindow(len(LOG), high=100, low=60)
    window.prepend(LOG[-20_000:])
    assert len(window) == 60
    start, end = window.page_after(len(LOG))
    window.append(LOG[start:end])
    assert seqs(window)[-1] == 999


def test_a_line_longer_than_a_page_is_read_with_a_larger_page() -> None:
    data = encode_event(event(Message(text="x" * 600_000))) + LOG
    window = EventWindow(len(data))
    pages = 0
    while not window.is_complete:
        window.prepend(data[slice(*window.page_before())])
        pages += 1
    assert len(window) == 1_001
    assert pages < 8


def test_bad_lines_are_skipped_without_losing_the_place() -> None:
    data = b"{half\n" + LOG[:500].rsplit(b"\n", 1)[0] + b"\n"
    window = EventWindow()
    window.append(data)
    assert window.offset(0) == len(b"{half\n")
    assert window.index(window.offset(1) + 3) == 1
    assert window.end == len(data)


def test_a_replaced_file_starts_over() -> None:
    window = EventWindow()
    window.append(LOG)
    window.reset()
    assert (len(window), window.start, window.end) == (0, 0, 0)
