"""What each reader makes of any text or bytes: nothing raises, and nothing is lost uncounted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runfair.events.go import read_go
from runfair.events.javascriptcore import read_javascriptcore
from runfair.events.jvm import read_log
from runfair.events.python import RECORD, read_records
from runfair.events.stamped_stream import StampedLine
from runfair.events.v8 import read_collections, read_trace

FRAGMENTS = st.sampled_from(
    [
        "[123ns][gc] ",
        "[123ns][safepoint] ",
        "[99ns][jit,compilation]",
        "GC(1) ",
        "Pause X 1.000ms",
        "Concurrent Mark",
        'Safepoint "a", x Total: 5 ns',
        "gc 1 @0.001s 1%: ",
        "0.1+2+0.3 ms clock, 2 P",
        "[GC<0x1>: START M x",
        " p=1ms (max 1), cycle 2ms END]",
        "Optimized f using A with B into 1 bytes in 2 ms",
        '{"traceEvents":[',
        '{"pid":1,"ts":2,"ph":"X","name":"V8.GCX","dur":3}',
        ",",
        "]}",
        '{"started_ns":1,"duration_ns":2,"kind":1,"flags":0}',
        "9" * 30,
        "-1",
        "[" * 20,
    ]
)
TEXT = st.one_of(
    st.text(max_size=80),
    st.lists(st.one_of(FRAGMENTS, st.just(" "), st.text(max_size=9))).map("".join),
)
INSTANT = st.integers(min_value=0, max_value=2**62)


@given(st.lists(TEXT))
def test_any_text_as_a_jvms_log(lines: list[str]) -> None:
    reading = read_log(lines)
    assert len(reading.events) + reading.unread <= 2 * len(lines)
    undecorated = sum(not line.startswith("[") for line in lines)
    assert reading.unread >= undecorated


@given(st.lists(st.builds(StampedLine, INSTANT, TEXT)))
def test_any_text_on_a_standard_error(lines: list[StampedLine]) -> None:
    for reading in (read_go(lines), read_javascriptcore(lines)):
        starts = [event.started_ns for event in reading.events]
        assert starts == sorted(starts)
    # A line that begins as a trace is either read or counted.
    begun = sum(line.text.startswith("gc 1 @0") for line in lines)
    reading = read_go(lines)
    assert len(reading.events) // 3 + reading.unread >= begun


@given(st.lists(TEXT), TEXT)
def test_any_text_as_v8s(lines: list[str], trace: str) -> None:
    reading = read_collections(lines)
    assert len(reading.events) + reading.unread == len(lines)
    assert all(event.started_ns >= 0 for event in read_trace(trace).events)


@given(st.binary(max_size=400))
def test_any_bytes_as_pythons(content: bytes) -> None:
    reading = read_records(content, "pypy")
    used = sum(
        content[at : at + 8] != bytes(8)
        for at in range(0, len(content) - RECORD.size + 1, RECORD.size)
    )
    assert len(reading.events) + reading.unread == used
