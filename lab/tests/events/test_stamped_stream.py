"""What programs write: kept byte for byte, stamped line by line, heard as it comes."""

from __future__ import annotations

import os
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runfair.events.stamped_stream import LONGEST_LINE_BYTES, READ_BYTES, StampedStream


def stamps_of(kept: Path) -> Path:
    return kept.with_name(f"{kept.name}.stamps")


def through_a_pipe(pieces: list[bytes], kept: Path) -> StampedStream:
    read, write = os.pipe()
    stamped = StampedStream(read, kept, stamps=stamps_of(kept))
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
    with StampedStream(read, tmp_path / "kept", stamps=tmp_path / "stamps") as stamped:
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
    with StampedStream.of_fifo(fifo, tmp_path / "kept", stamps=tmp_path / "stamps") as stamped:
        for number in range(20):
            with fifo.open("w") as writer:
                writer.write(f"{number}\n")
    assert [line.text for line in stamped.lines()] == [str(number) for number in range(20)]
    assert not fifo.exists()


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
    stamped = StampedStream(read, kept, stamps=stamps_of(kept))
    for _ in range(8):  # more than the pipe holds
        os.write(write, b"x" * READ_BYTES)
    os.close(write)
    try:
        stamped.close()
    except OSError as error:
        assert "space" in str(error)
    else:
        raise AssertionError("that nothing was kept must be said")


def write(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]


def test_everything_is_kept_and_heard_in_order_with_its_time(tmp_path: Path) -> None:
    data = os.urandom(300_000)
    heard: list[tuple[bytes, int]] = []
    began_ns = time.monotonic_ns()
    with StampedStream.of_fifo(tmp_path / "pipe", tmp_path / "kept", lambda *it: heard.append(it)):
        write(tmp_path / "pipe", data[:100_000])
        write(tmp_path / "pipe", data[100_000:])  # another writer: the first one's end is no end
    assert (tmp_path / "kept").read_bytes() == data
    assert b"".join(part for part, _ in heard) == data
    instants = [at_ns for _, at_ns in heard]
    assert instants == sorted(instants)
    assert began_ns < instants[0]
    assert instants[-1] < time.monotonic_ns()
    assert not (tmp_path / "pipe").exists()


def test_nobody_wrote(tmp_path: Path) -> None:
    with StampedStream.of_fifo(tmp_path / "pipe", tmp_path / "kept"):
        pass
    assert (tmp_path / "kept").read_bytes() == b""


def test_lines_need_stamps(tmp_path: Path) -> None:
    with StampedStream.of_fifo(tmp_path / "pipe", tmp_path / "kept") as stream:
        write(tmp_path / "pipe", b"one\n")
    with pytest.raises(ValueError, match="have no time stamps"):
        list(stream.lines())


def test_a_flood_is_read_and_its_beginning_kept(tmp_path: Path) -> None:
    data, heard = os.urandom(200_000), bytearray()
    with StampedStream.of_fifo(
        tmp_path / "pipe", tmp_path / "kept", lambda it, _: heard.extend(it), limit_bytes=1000
    ):
        write(tmp_path / "pipe", data)
    assert (tmp_path / "kept").read_bytes() == data[:1000]
    assert heard == data


def test_what_on_data_raises_is_raised_at_the_end_and_no_writer_is_held_up(
    tmp_path: Path,
) -> None:
    calls = []

    def on_data(_data: bytes, _at_ns: int) -> None:
        calls.append(1)
        raise ValueError("cannot be understood")

    with (
        pytest.raises(ValueError, match="cannot be understood"),
        StampedStream.of_fifo(tmp_path / "pipe", tmp_path / "kept", on_data),
    ):
        write(tmp_path / "pipe", b"x" * 500_000)
    assert (tmp_path / "kept").stat().st_size == 500_000
    assert len(calls) == 1
    assert not (tmp_path / "pipe").exists()


@given(parts=st.lists(st.binary(max_size=5000), max_size=8))
def test_however_it_is_cut(parts: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder, heard = tmp_path_factory.mktemp("cut"), bytearray()
    with StampedStream.of_fifo(folder / "pipe", folder / "kept", lambda it, _: heard.extend(it)):
        for part in parts:
            write(folder / "pipe", part)
    assert heard == b"".join(parts) == (folder / "kept").read_bytes()
