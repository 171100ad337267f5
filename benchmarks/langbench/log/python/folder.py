"""The folder of logs, and the queries to search for."""

from __future__ import annotations

import os

from harness.python.harness import UsageError, quoted, read_input
from langbench.log.python.query import Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

QUERIES = {
    "hadoop": (
        "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
        " container_1445144423722_0001_01_000007 ",
        "[fetcher#7] ",
        " attempt_*_0001_m_000003_1 is : ",
        "WARN * Slow ReadProcessor * took *77 ms; ack",
        " ip=/10.0.3.7 cmd=open ",
        "ERROR * Giving up * node-07.cluster.example:8020;",
    ),
    "spark": (
        " spark.ContextCleaner: Started accumulator for stage ",
        " rdd_42_7 ",
        " boot = 17, ",
        " broadcast_1*7_piece0 stored ",
        "Finished task * in stage 12.0 (TID *). 2077 bytes",
        " ip=/10.0.3.7 cmd=remove ",
        "WARN util.Utils: Lost * retry 3 of 4",
    ),
}


def log_files(folder: str) -> List[str]:
    """The paths of the files of a folder, in the order of their names. Raises UsageError if the
    folder cannot be read or a name is unsuitable."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_file())
    except OSError as error:
        raise UsageError(f"input {quoted(folder)} cannot be read: {error.strerror}") from error
    for name in names:
        if not name.isascii():
            raise UsageError(f"input {quoted(folder)} holds {quoted(name)}: rename it to ASCII")
    if not names:
        raise UsageError(f"input {quoted(folder)} holds no files; give a folder of logs")
    return [os.path.join(folder, name) for name in names]


def read_queries(path: str) -> List[Query]:
    """Read the queries of a file, with one query in each line. Raises UsageError if the file is
    invalid."""
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError as error:
        raise UsageError(
            f"queries {quoted(path)} cannot be read; name a file of queries, one a line"
        ) from error
    for number, line in enumerate(lines, 1):
        if not all(0x20 <= byte <= 0x7E for byte in line):
            raise UsageError(f"line {number} of queries {quoted(path)}: a query is printable ASCII")
    queries = [Query(line.decode("ascii")) for line in lines if line]
    if not queries:
        raise UsageError(f"queries {quoted(path)} holds no queries; write one a line")
    return queries


def lines_of(path: str) -> List[bytes]:
    """The lines of a file. After the last line feed there is a further line only if there is a
    byte."""
    lines = read_input(path).split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines
