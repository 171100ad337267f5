"""A run in one small file: what the checks read of it, and of its requests the microsecond.

A tar archive under xz, laid out as the run's folder. Left out are programs' output, compilations
(no check reads them), what iterations say beside their times, and interval logs; single requests
stand in `raw/EXECUTION/requests.npy`, shape (columns, requests), each column as differences, in
microseconds. Interval logs are made from them again. Paths of the machine that measured are
replaced.
"""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from runfair.formats.records_file import Records, read_records
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import MAIN_LOAD
from runfair.paths import REPOSITORY, private_folder

IntArray = npt.NDArray[np.int64]
COLUMNS = ("intended_ns", "free_ns", "sent_ns", "done_ns", "answer_bytes", "kind")
REQUESTS = "requests.npy"
MICROSECOND = 1_000
HOST = "measured-here"
# What each column is told as the difference to: the one before it in its row, or the row before.
_EARLIER = {"free_ns": "intended_ns", "sent_ns": "free_ns", "done_ns": "sent_ns"}


def pack(run: RunFolder, path: Path, paths: Mapping[str, str]) -> None:
    """Store a run; `paths` are replaced in its texts, and so are those of this repository."""
    replaced = {
        **paths,
        str(private_folder().resolve()): "/runfair/.runfair",
        str(private_folder()): "/runfair/.runfair",
        str(REPOSITORY): "/runfair",
        str(Path.home()): "/home",
        f'"{run.host().name}"': f'"{HOST}"',
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in _members(run, replaced):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    path.write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def unpack(path: Path) -> dict[str, bytes]:
    """The stored files by their names."""
    with tarfile.open(path, mode="r:xz") as archive:
        members = [(one.name, archive.extractfile(one)) for one in archive.getmembers()]
        return {name: file.read() for name, file in members if file is not None}


def packed_requests(records: Records) -> bytes:
    """In the order of the schedule."""
    rows = records.rows[np.argsort(records.rows["intended_ns"], kind="stable")]
    values = {name: _rounded(rows, name) for name in COLUMNS}
    columns = [
        values[name] - values[_EARLIER[name]]
        if name in _EARLIER
        else np.diff(values[name], prepend=0)
        for name in COLUMNS
    ]
    file = io.BytesIO()
    np.save(file, _bytes_apart(np.stack(columns).astype("<i4")))
    return file.getvalue()


def unpacked_requests(content: bytes) -> dict[str, IntArray]:
    """The columns, in nanoseconds where they are instants."""
    columns = _bytes_together(np.load(io.BytesIO(content))).astype(np.int64)
    values: dict[str, IntArray] = {}
    for name, column in zip(COLUMNS, columns, strict=True):
        values[name] = column + values[_EARLIER[name]] if name in _EARLIER else np.cumsum(column)
    return {
        name: column * MICROSECOND if name.endswith("_ns") else column
        for name, column in values.items()
    }


def _rounded(rows: npt.NDArray[np.void], name: str) -> IntArray:
    values = rows[name].astype(np.int64)
    return values // MICROSECOND if name.endswith("_ns") else values


def _bytes_apart(columns: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
    """(columns, bytes, requests): the high bytes, nearly all nothing, beside one another."""
    count, requests = columns.shape
    apart = columns.view(np.uint8).reshape(count, requests, 4).transpose(0, 2, 1)
    return np.ascontiguousarray(apart)


def _bytes_together(apart: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    count, _, requests = apart.shape
    together = np.ascontiguousarray(apart.transpose(0, 2, 1))
    return together.view("<i4").reshape(count, requests)


def _members(run: RunFolder, replaced: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    def text(path: Path) -> bytes:
        content = path.read_text(encoding="utf-8")
        for old, new in replaced.items():
            content = content.replace(old, new)
        return content.encode()

    yield "experiment.json", text(run.plan_file)
    yield f"machines/{HOST}.json", text(run.host_file(run.host().name))
    yield "executions.jsonl", text(run.executions_file)
    for one in run.executions():
        iterations = run.iterations_file(one.id)
        if iterations.exists():
            yield f"iterations/{iterations.name}", _times(iterations.read_bytes())
        raw = f"raw/{one.id}"
        result = run.load_file(one.id, MAIN_LOAD, "json")
        if not result.exists():
            continue
        yield f"{raw}/{result.name}", text(result)
        yield f"{raw}/usage.jsonl", text(run.usage_file(one.id))
        records = read_records(run.load_file(one.id, MAIN_LOAD, "records"))
        yield f"{raw}/{REQUESTS}", packed_requests(records)
        events = run.events_file(one.id)
        if events.exists():
            yield f"events/{events.name}", _collections(text(events))


def _times(iterations: bytes) -> bytes:
    lines = [json.loads(line) for line in iterations.splitlines()]
    kept = [{name: line[name] for name in ("wall_ns", "cpu_ns")} for line in lines]
    return b"".join(json.dumps(line).encode() + b"\n" for line in kept)


def _collections(events: bytes) -> bytes:
    lines = events.splitlines(keepends=True)
    kept = ("gc_pause", "gc_cycle", "safepoint")
    return b"".join(line for line in lines if json.loads(line)["kind"] in kept)
