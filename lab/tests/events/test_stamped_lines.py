from __future__ import annotations

import os
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from runfair.events.stamped_lines import LONGEST_LINE_BYTES, READ_BYTES, StampedLines


def through_a_pipe(pieces: list[bytes], kept: Path) -> StampedLines:
    read, write = os.pipe()
    stamped = StampedLines(read, kept)
    for piece in pieces:
        os.write(write, piece)
    os.close(write)
    stamped.close()
    return stamped


@settings(max_examples=30)
@given(st.lists(st.binary(max_size=50).map(lambda data: data.replace(b"x", b"\n")), max_size=20))
def test_every_byte_is_kept_and_every_line_stamped(pieces: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "kept")
        stamped = through_a_pipe(pieces, kept)
        content = b"".join(pieces)
        assert kept.read_bytes() == content
        expected = content.split(b"\n")
        lines = list(stamped.lines())
        assert len(lines) == len(expected) - (not expected[-1])
        assert all(one.arrived_ns <= two.arrived_ns for one, two in pairwise(lines))


def test_a_line_is_stamped_when_its_first_byte_arrives(tmp_path: Path) -> None:
    read, write = os.pipe()
    with StampedLines(read, tmp_path / "kept") as stamped:
        first_ns = time.monotonic_ns()
        os.write(write, b"one\nbegun, ")
        while (tmp_path / "kept").stat().st_size < 11:
            time.sleep(0.001)
        between_ns = time.monotonic_ns()
        time.sleep(0.02)
        finished_ns = time.monotonic_ns()
        os.write(write, b"finished\nthree\n")
        os.close(write)
    one, two, three = stamped.lines()
    assert [line.text for line in (one, two, three)] == ["one", "begun, finished", "three"]
    assert first_ns <= one.arrived_ns == two.arrived_ns <= between_ns
    assert three.arrived_ns >= finished_ns


def test_a_fifo_may_be_opened_many_times(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with StampedLines.of_fifo(fifo, tmp_path / "kept") as stamped:
        for number in range(20):
            with fifo.open("w") as writer:
                writer.write(f"{number}\n")
    assert [line.text for line in stamped.lines()] == [str(number) for number in range(20)]


def test_a_long_line_is_kept_whole_and_read_in_part(tmp_path: Path) -> None:
    length = 3 * READ_BYTES
    stamped = through_a_pipe([b"x" * READ_BYTES] * 3 + [b"\nnext\n"], tmp_path / "kept")
    assert (tmp_path / "kept").stat().st_size == length + 6
    long, following = stamped.lines()
    assert len(long.text) == LONGEST_LINE_BYTES
    assert following.text == "next"


def test_a_full_disk_does_not_stop_the_program(tmp_path: Path) -> None:
    read, write = os.pipe()
    kept = tmp_path / "kept"
    kept.symlink_to("/dev/full")
    stamped = StampedLines(read, kept)
    for _ in range(8):  # more than the pipe holds
        os.write(write, b"x" * READ_BYTES)
    os.close(write)
    try:
        stamped.close()
    except OSError as error:
        assert "space" in str(error)
    else:
        raise AssertionError("that nothing was kept must be said")
