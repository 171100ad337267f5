"""Records files: read through their own first line, or refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runfair.formats.record import BrokenLoadFile
from runfair.formats.records_file import read_records

HEADER: dict[str, Any] = {
    "format": "runfair-load records",
    "version": 1,
    "loop": "open",
    "record_bytes": 16,
    # Neither in the order of the bytes nor without holes.
    "fields": [
        {"name": "kind", "type": "u8", "offset": 10},
        {"name": "index", "type": "u64", "offset": 0},
        {"name": "status", "type": "u16", "offset": 8},
    ],
    "kinds": ["good", "miss", "short"],
    "start_monotonic_ns": 5,
    "start_realtime_ns": 6,
}


def record(index: int, status: int, kind: int) -> bytes:
    parts = ((index, 8), (status, 2), (kind, 1), (0, 5))
    return b"".join(number.to_bytes(size, "little") for number, size in parts)


def written(path: Path, rows: bytes, **changes: Any) -> Path:
    file = path / "load.records"
    file.write_bytes(json.dumps({**HEADER, **changes}).encode() + b"\n" + rows)
    return file


def test_fields_are_found_by_the_header(tmp_path: Path) -> None:
    rows = record(0, 200, 0) + record(1 << 40, 404, 2) + record(2, 65535, 0)
    records = read_records(written(tmp_path, rows))
    assert records.rows["index"].tolist() == [0, 1 << 40, 2]
    assert records.rows["status"].tolist() == [200, 404, 65535]
    assert records.of_kind("short")["index"].tolist() == [1 << 40]
    assert len(records.of_kind("good")) == 2
    assert (records.header.loop, records.header.start_realtime_ns) == ("open", 6)
    assert isinstance(records.rows, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        records.rows["index"][0] = 1


def test_no_request_is_no_row(tmp_path: Path) -> None:
    records = read_records(written(tmp_path, b""))
    assert records.rows["index"].tolist() == []


@pytest.mark.parametrize(
    ("rows", "changes", "message"),
    [
        (record(0, 0, 0)[:-1], {}, "in the middle of a record, after 15 bytes"),
        (b"", {"version": 2}, "cannot read this records file (version: "),
        (b"", {"format": "other"}, "cannot read this records file (format: "),
        (b"", {"record_bytes": 0}, "record_bytes"),
        (b"", {"fields": []}, "fields"),
        (b"", {"more": 1}, "more"),
        (b"", {"record_bytes": 8}, "describes fields that cannot be read"),
        (b"", {"fields": [{"name": "index", "type": "f64", "offset": 0}]}, "type"),
        (b"", {"fields": HEADER["fields"] * 2}, "describes fields that cannot be read"),
    ],
)
def test_another_file_is_refused(
    tmp_path: Path, rows: bytes, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(BrokenLoadFile, match=re.escape(message)):
        read_records(written(tmp_path, rows, **changes))


@pytest.mark.parametrize("content", [b"", b"{", b"\n", b"\xff\xfe\n", b"x" * 100_000])
def test_bytes_without_a_header_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(BrokenLoadFile, match=r"not a records file|cannot read this records file"):
        read_records(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BrokenLoadFile, match=r"nothing: the file cannot be read \(No such file"):
        read_records(tmp_path / "nothing")
