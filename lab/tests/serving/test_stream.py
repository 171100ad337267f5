"""What programs write: kept byte for byte, heard as it comes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.serving import stream as stream_module
from runfair.serving.stream import Stream


def write(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]


def test_everything_is_kept_and_heard_in_order_with_its_time(tmp_path: Path) -> None:
    data = os.urandom(300_000)
    heard: list[tuple[bytes, int]] = []
    began_ns = time.monotonic_ns()
    with Stream(tmp_path / "pipe", tmp_path / "kept", lambda *it: heard.append(it)) as stream:
        write(stream.pipe, data[:100_000])
        write(stream.pipe, data[100_000:])  # another writer: the first one's end is no end
    assert (tmp_path / "kept").read_bytes() == data
    assert b"".join(part for part, _ in heard) == data
    instants = [at_ns for _, at_ns in heard]
    assert instants == sorted(instants)
    assert began_ns < instants[0]
    assert instants[-1] < time.monotonic_ns()
    assert not (tmp_path / "pipe").exists()


def test_nobody_wrote(tmp_path: Path) -> None:
    with Stream(tmp_path / "pipe", tmp_path / "kept"):
        pass
    assert (tmp_path / "kept").read_bytes() == b""


def test_a_flood_is_read_and_its_beginning_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "KEPT_BYTES", 1000)
    data, heard = os.urandom(200_000), bytearray()
    with Stream(tmp_path / "pipe", tmp_path / "kept", lambda it, _: heard.extend(it)) as stream:
        write(stream.pipe, data)
    assert (tmp_path / "kept").read_bytes() == data[:1000]
    assert heard == data


def test_what_the_hearer_raises_is_raised_at_the_end_and_no_writer_is_held_up(
    tmp_path: Path,
) -> None:
    calls = []

    def hearer(_data: bytes, _at_ns: int) -> None:
        calls.append(1)
        raise ValueError("cannot be understood")

    with (
        pytest.raises(ValueError, match="cannot be understood"),
        Stream(tmp_path / "pipe", tmp_path / "kept", hearer) as stream,
    ):
        write(stream.pipe, b"x" * 500_000)
    assert (tmp_path / "kept").stat().st_size == 500_000
    assert len(calls) == 1
    assert not (tmp_path / "pipe").exists()


@given(parts=st.lists(st.binary(max_size=5000), max_size=8))
def test_however_it_is_cut(parts: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder, heard = tmp_path_factory.mktemp("cut"), bytearray()
    with Stream(folder / "pipe", folder / "kept", lambda it, _: heard.extend(it)) as stream:
        for part in parts:
            write(stream.pipe, part)
    assert heard == b"".join(parts) == (folder / "kept").read_bytes()
