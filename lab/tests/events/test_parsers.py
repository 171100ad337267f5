"""What each reader makes of its runtime's words."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from runfair.events.go import ARRIVAL_UNCERTAINTY_NS, STEP_NS, read_go
from runfair.events.javascriptcore import read_javascriptcore
from runfair.events.jvm import read_log
from runfair.events.python import RECORD, read_records
from runfair.events.stamped_stream import StampedLine
from runfair.events.v8 import read_collections, read_trace, read_v8
from runfair.formats.event import Event, HeapChange

JVM_17 = """\
[23358940531720ns][gc] Using Serial
[23359000380808ns][gc,start         ] GC(0) Pause Full (System.gc())
[23359001013848ns][gc,phases        ] GC(0) Phase 1: Mark live objects 0.590ms
[23359003056145ns][gc               ] GC(0) Pause Full (System.gc()) 1M->0M(61M) 2.675ms
[23359003088343ns][safepoint        ] Safepoint "GenCollectFull", Time since last: 36138843 ns, \
Reaching safepoint: 87542 ns, Cleanup: 72629 ns, At safepoint: 2710890 ns, Total: 2871061 ns
[23358981333568ns][jit,compilation]    1       3       java.lang.Object::<init> (1 bytes)
[23894560057613ns][jit,compilation]   88 %     3       Gc::main @ 47 (67 bytes)   made not entrant
[23358982333568ns][jit,compilation]    4     n 0       jdk.internal.X::doYield (native)   (static)
"""

JVM_Z = """\
[23895570132488ns][gc,start ] GC(5) Garbage Collection (Allocation Stall)
[23895570190205ns][gc,phases] GC(5) Pause Mark Start 0.005ms
[23895571843767ns][gc,phases] GC(5) Concurrent Mark 1.627ms
[23895573080335ns][gc       ] Allocation Stall (main) 2.975ms
[23895573454756ns][gc       ] GC(5) Garbage Collection (Allocation Stall) 64M(100%)->10M(16%)
[23897349656172ns][gc,phases] GC(9) y: Pause Mark Start 0.007ms
"""

JVM_11 = (
    "[5000000000ns][safepoint] Total time for which application threads were stopped: "
    "0.0012500 seconds, Stopping threads took: 0.0000200 seconds\n"
)


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [event.kind for event in events]


def test_a_jvms_pause_safepoint_and_compilations() -> None:
    reading = read_log(JVM_17.splitlines(keepends=True), pid=7)
    assert reading.unread == 0
    assert reading.processes == 1
    by_kind = {event.kind: event for event in reading.events}
    assert kinds(reading.events).count("compilation") == 2
    pause = by_kind["gc_pause"]
    assert pause.started_ns == 23359000380808 < 23359003056145 - 2_675_000
    assert (pause.duration_ns, pause.stops_the_world, pause.pid) == (2_675_000, True, 7)
    assert pause.text == "Pause Full (System.gc())"
    assert pause.heap == HeapChange(before_bytes=1 << 20, after_bytes=0, step_bytes=1 << 20)
    assert pause.uncertainty_ns == abs(23359003056145 - 23359000380808 - 2_675_000) + 1_000
    safepoint = by_kind["safepoint"]
    assert safepoint.duration_ns == 2_871_061
    assert safepoint.started_ns <= pause.started_ns < pause.ended_ns <= safepoint.ended_ns
    assert "made not entrant" in by_kind["deoptimisation"].text


def test_a_concurrent_collector() -> None:
    reading = read_log(JVM_Z.splitlines(keepends=True))
    assert sorted(kinds(reading.events)) == ["gc_cycle", "gc_pause", "gc_pause", "gc_pause"]
    cycle = next(event for event in reading.events if event.kind == "gc_cycle")
    assert cycle.duration_ns == 23895573454756 - 23895570132488
    assert not cycle.stops_the_world
    stall = next(event for event in reading.events if "Stall (main)" in event.text)
    assert (stall.duration_ns, stall.stops_the_world) == (2_975_000, False)
    assert reading.events[-1].text == "y: Pause Mark Start"


JVM_G1 = """\
[1000000ns][gc,start] GC(3) Pause Young (Concurrent Start) (G1 Humongous Allocation)
[3000000ns][gc      ] GC(3) Pause Young (Concurrent Start) (G1 Humongous Allocation) \
10M->5M(20M) 2.000ms
[3100000ns][gc      ] GC(4) Concurrent Mark Cycle
[5000000ns][gc,start] GC(4) Pause Remark
[6000000ns][gc      ] GC(4) Pause Remark 6M->6M(20M) 1.000ms
[9000000ns][gc      ] GC(4) Concurrent Mark Cycle 5.900ms
"""


def test_a_pause_that_starts_a_concurrent_cycle_is_no_cycle() -> None:
    events = read_log(JVM_G1.splitlines(keepends=True)).events
    assert kinds(events) == ["gc_pause", "gc_cycle", "gc_pause"]
    assert (events[1].started_ns, events[1].ended_ns) == (3_100_000, 9_000_000)


@pytest.mark.parametrize("collector", ["Shenandoah", "The Z Garbage Collector"])
def test_a_collector_that_frees_beside_the_program_tells_no_heap(collector: str) -> None:
    line = "[5ns][gc] GC(0) Pause Degenerated GC (Mark) 60M->20M(64M) 1.500ms"
    (told,) = read_log(["[1ns][gc] Using G1", line]).events
    assert told.heap is not None
    assert (told.heap.before_bytes, told.heap.after_bytes) == (60 << 20, 20 << 20)
    (untold,) = read_log([f"[1ns][gc] Using {collector}", line]).events
    assert (untold.heap, untold.duration_ns) == (None, told.duration_ns)


def test_a_safepoint_of_jdk_11() -> None:
    (event,) = read_log([JVM_11]).events
    assert (event.kind, event.duration_ns, event.ended_ns) == ("safepoint", 1_250_000, 5 * 10**9)


def test_a_jvms_broken_lines_are_counted() -> None:
    broken = [
        "OpenJDK 64-Bit Server VM warning: whatever\n",
        "[1ns][gc] GC(1) Pause Young with no end\n",
        '[1ns][safepoint] Safepoint "X", cut o\n',
    ]
    assert read_log(broken).unread == 3


GO = (
    "gc {number} @{at}s 2%: {first}+{concurrent}+{second} ms clock, 0.1+0/0.1/0+0.009 ms cpu, "
    "3->4->1 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P"
)


def test_go_is_placed_by_the_least_delay() -> None:
    """Collections at known times, told of with the runtime's rounding, read with known delays."""
    generator = random.Random(4)
    program_start_ns = 10**12
    lines, truth = [], []
    now_ns = 0
    for number in range(1, 201):
        now_ns += generator.randrange(5_000_000, 50_000_000)
        first, concurrent, second = (generator.randrange(10, 99) * 10_000 for _ in range(3))
        # The reader is prompt at times and held up by up to 30 ms at others.
        delay_ns = generator.choice([30_000, 60_000, 5_000_000, 30_000_000])
        text = GO.format(
            number=number,
            at=f"{now_ns // 10**6 / 1000:.3f}",
            first=f"{first / 1e6:.2f}",
            concurrent=f"{concurrent / 1e6:.2f}",
            second=f"{second / 1e6:.2f}",
        )
        end_ns = program_start_ns + now_ns + first + concurrent + second
        lines.append(StampedLine(end_ns + delay_ns, text))
        truth.append((program_start_ns + now_ns, end_ns - second))
    reading = read_go(lines)
    assert (reading.processes, reading.unread) == (1, 0)
    pauses = [event for event in reading.events if event.kind == "gc_pause"]
    assert len(pauses) == 400
    errors = [
        abs(event.started_ns - started_ns)
        for event, started_ns in zip(pauses, (ns for pair in truth for ns in pair), strict=True)
    ]
    # At worst a whole step and the least delay; the arrivals alone would be off by 30 ms.
    assert max(errors) <= STEP_NS + 100_000
    assert sum(error <= 60_000 for error in errors) >= len(errors) * 0.4
    for event, error in zip(pauses, errors, strict=True):
        assert error <= event.uncertainty_ns
        assert event.uncertainty_ns <= STEP_NS + ARRIVAL_UNCERTAINTY_NS + 30_000


def go_line(number: int, at: str, arrived_ns: int) -> StampedLine:
    text = GO.format(number=number, at=at, first="0.1", concurrent="2", second="12")
    return StampedLine(arrived_ns, text)


def test_two_go_processes_on_one_standard_error() -> None:
    lines = [
        go_line(1, "0.010", 10**9),
        go_line(1, "0.010", 5 * 10**9),
        go_line(2, "0.020", 10**9 + 10**7),
    ]
    reading = read_go(lines)
    assert reading.processes == 2
    heaps = [event.heap for event in reading.events if event.heap is not None]
    assert [heap.heap for heap in heaps] == [0, 0, 1]
    # 3->4->1 MB: one was allocated meanwhile.
    assert {(one.before_bytes, one.meanwhile_bytes, one.after_bytes) for one in heaps} == {
        (3 << 20, 1 << 20, 1 << 20)
    }
    assert {event.kind for event in reading.events if event.heap is not None} == {"gc_cycle"}


def test_a_torn_go_trace_is_counted_and_the_programs_own_lines_are_not() -> None:
    torn = [
        StampedLine(10**9, "gc 3 @0.007s 3%: 0.075+0.12listening on 8080"),
        StampedLine(10**9, "listening on 8080"),
        StampedLine(10**9, ""),
    ]
    reading = read_go(torn)
    assert (reading.unread, reading.events) == (1, ())


def test_a_go_trace_behind_an_unfinished_line_is_counted_and_moves_no_other() -> None:
    """The program wrote a dot a second before its second collection."""
    whole = [go_line(1, "5.000", 15 * 10**9), go_line(3, "7.000", 17 * 10**9)]
    behind = go_line(2, "6.000", 15 * 10**9)
    reading = read_go([whole[0], StampedLine(behind.arrived_ns, f".{behind.text}"), whole[1]])
    assert (reading.processes, reading.unread) == (1, 1)
    expected = read_go(whole).events
    assert [event.started_ns for event in reading.events] == [one.started_ns for one in expected]


def test_the_lines_after_a_torn_go_trace_are_of_the_same_process() -> None:
    lines = [go_line(number, f"0.{number:03}", number * 10**6) for number in range(1, 8)]
    lines[3] = StampedLine(4 * 10**6, "gc 4 @0.004s 2%: 0.22+listening on 8080")
    reading = read_go(lines)
    assert (reading.processes, reading.unread) == (1, 1)
    heaps = [event.heap for event in reading.events if event.heap is not None]
    assert [(heap.heap, heap.after_gap) for heap in heaps] == [
        *[(0, False)] * 3,
        (0, True),
        *[(0, False)] * 2,
    ]


def test_v8s_collections() -> None:
    reading = read_collections(
        [
            '{"started_ns":24269871147870,"duration_ns":924157,"kind":1,"flags":0}\n',
            '{"started_ns":24269871',
        ],
        pid=3,
    )
    (event,) = reading.events
    assert (event.kind, event.text, event.pid) == ("gc_pause", "scavenge, flags 0", 3)
    assert event.ended_ns == 24269871147870 + 924157
    assert (event.heap, reading.unread) == (None, 1)


def test_sparrows_collections_have_heap_sizes() -> None:
    line = '{"started_ns":5,"duration_ns":7,"kind":4,"flags":0,"before_bytes":9,"after_bytes":3}\n'
    (event,) = read_collections([line], pid=3, heap=2).events
    assert event.text == "mark-sweep-compact, flags 0"
    assert event.heap is not None
    assert (event.heap.before_bytes, event.heap.after_bytes, event.heap.heap) == (9, 3, 2)


@pytest.mark.parametrize(("worker", "stops"), [("0", True), ("2", False)])
def test_a_collection_of_a_v8_worker_stops_no_other_thread(
    tmp_path: Path, worker: str, stops: bool
) -> None:
    file = tmp_path / f"v8-3-{worker}.jsonl"
    file.write_text('{"started_ns":5,"duration_ns":7,"kind":4,"flags":0}\n', encoding="utf-8")
    (event,) = read_v8(tmp_path).events
    assert (event.kind, event.stops_the_world) == ("gc_pause", stops)


@pytest.mark.parametrize(("thread", "stops"), [(9, True), (11, False)])
def test_a_traced_collection_of_a_v8_worker_stops_no_other_thread(thread: int, stops: bool) -> None:
    entry = {"pid": 9, "tid": thread, "ts": 1, "ph": "X", "name": "V8.GCScavenger", "dur": 3}
    (event,) = read_trace(json.dumps({"traceEvents": [entry]})).events
    assert (event.kind, event.stops_the_world) == ("gc_pause", stops)


V8_TRACE = (
    '{"traceEvents":[{"pid":9,"tid":9,"ts":100,"ph":"M","name":"node","dur":0,"args":{"a":[1]}},'
    '{"pid":9,"ts":200,"ph":"X","cat":"v8","name":"V8.GCScavenger","dur":30,"args":{}},'
    '{"pid":9,"ts":240,"ph":"X","cat":"x","name":"V8.OptimizeBackground","dur":7,"args":{}},'
    '{"pid":9,"ts":250,"ph":"X","cat":"v8","name":"V8.DeoptimizeCode","dur":1,"args":{}}'
)


@pytest.mark.parametrize("end", ["]}", "", ",", ',{"pid":9,"ts":2'])
def test_v8s_trace_whole_or_cut_off(end: str) -> None:
    reading = read_trace(V8_TRACE + end)
    assert kinds(reading.events) == ["gc_pause", "compilation", "deoptimisation"]
    assert [event.started_ns for event in reading.events] == [200_000, 240_000, 250_000]
    assert [event.stops_the_world for event in reading.events] == [True, False, False]
    assert reading.unread == 0


def v8_heap(phase: str, tid: int, **sizes: object) -> str:
    return json.dumps(
        {"pid": 9, "tid": tid, "ts": 1, "ph": phase, "name": "MinorGC", "args": sizes}
    )


def test_v8s_heaps_go_to_the_last_of_their_pauses() -> None:
    def pause(ts: int) -> str:
        return json.dumps({"pid": 9, "ts": ts, "ph": "X", "name": "V8.GCScavenger", "dur": 3})

    entries = [
        *(v8_heap("E", 9, usedHeapSizeAfter=1), pause(100)),
        *(v8_heap("B", 9, usedHeapSizeBefore=50), v8_heap("B", 11, usedHeapSizeBefore=70)),
        *(pause(200), pause(300), v8_heap("E", 9, usedHeapSizeAfter=20)),
        *(v8_heap("E", 11, usedHeapSizeAfter="much"), v8_heap("B", 9, usedHeapSizeBefore=80)),
    ]
    reading = read_trace('{"traceEvents":[' + ",".join(entries))
    assert [event.heap for event in reading.events] == [
        None,
        None,
        HeapChange(before_bytes=50, after_bytes=20, step_bytes=1, heap=9),
    ]
    assert reading.unread == 0


def test_an_entry_of_v8s_that_is_none_is_counted() -> None:
    assert read_trace('{"traceEvents":[{"name":5},{"ph":"X"},7]}').unread == 3


def test_javascriptcore() -> None:
    reading = read_javascriptcore(
        [
            StampedLine(
                10**9,
                "[GC<0x5e9ab99c118>: START M 8634kb => FullCollection, a=0kb hf=0.000 o=0 "
                "i#1:N<CsMsr> 429+0 v=7863kb p=5.213028ms (max 5.213028)...]",
            ),
            StampedLine(
                10**9 + 10**7,
                "[GC<0x5e9ab99c118>: M a=0kb hf=0.000 i#2:N<WsOJw>Pbc 0+0 i#3:P<MsrShSrb>Pbc => "
                "8008kb, p=0.702696ms (max 51.213028), cycle 2.819690ms END]",
            ),
            StampedLine(
                2 * 10**9,
                "Optimized f#DFReIG:[0x575391fc3a0->0x575391fc2c0->0x575391c5e00, "
                "NoneFunctionCall, 38 (StrictMode)] using DFG with DFG into 384 bytes in "
                "0.332649 ms.",
            ),
            StampedLine(3 * 10**9, "[GC<0x31d1bdb8118>: START M 4torn"),
            StampedLine(3 * 10**9, ".[GC<0x5e9ab99c118>: M i#2:N => 8kb, p=7ms (max 5), END]"),
            StampedLine(3 * 10**9, "[GC<0x31d1bdb8118>: epilogue 0.042084ms]"),
            StampedLine(3 * 10**9, "the program's own"),
        ]
    )
    cycle, first, second, compilation = reading.events
    assert (first.kind, first.started_ns, first.duration_ns) == ("gc_pause", 10**9, 5_213_028)
    assert (second.kind, second.ended_ns) == ("gc_pause", 10**9 + 10**7 + 702_696)
    assert (cycle.kind, cycle.started_ns, cycle.ended_ns) == ("gc_cycle", 10**9, second.ended_ns)
    assert (compilation.kind, compilation.duration_ns) == ("compilation", 332_649)
    assert reading.unread == 2


def test_pythons_records() -> None:
    content = (
        RECORD.pack(1_000, 50, 2, 1, 12) + RECORD.pack(9_000, 5, 99, 1, 0) + bytes(RECORD.size * 3)
    )
    reading = read_records(content, "cpython", 5)
    (event,) = reading.events
    assert (event.started_ns, event.duration_ns, event.pid) == (1_000, 50, 5)
    assert event.text == "generation 2, 12 objects collected"
    assert reading.unread == 1


def test_the_steps_of_a_collection_and_its_end_are_events_of_their_own() -> None:
    content = RECORD.pack(1_000, 50, 17, 3, 0) + RECORD.pack(9_000, 0, 19, 1, 0)
    steps, end = read_records(content, "pypy").events
    assert (steps.kind, steps.duration_ns, steps.stops_the_world) == ("gc_pause", 50, True)
    assert steps.text == "steps of major garbage collections, recorded as one event: 3"
    assert (end.kind, end.duration_ns, end.stops_the_world) == ("gc_cycle", 0, False)
