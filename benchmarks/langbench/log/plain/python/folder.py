"""The input: a folder of logs, and a file of queries."""

import os

from harness.python.harness import UsageError, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

QUERIES = {
    "hadoop": [
        "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
        " container_1445144423722_0001_01_000007 ",
        "[fetcher#7] ",
        " attempt_*_0001_m_000003_1 is : ",
        "WARN * Slow ReadProcessor * took *77 ms; ack",
        " ip=/10.0.3.7 cmd=open ",
        "ERROR * Giving up * node-07.cluster.example:8020;",
    ],
    "spark": [
        " spark.ContextCleaner: Started accumulator for stage ",
        " rdd_42_7 ",
        " boot = 17, ",
        " broadcast_1*7_piece0 stored ",
        "Finished task * in stage 12.0 (TID *). 2077 bytes",
        " ip=/10.0.3.7 cmd=remove ",
        "WARN util.Utils: Lost * retry 3 of 4",
    ],
}


def lines_of(content: bytes) -> "List[bytes]":
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def log_files(folder: str) -> "List[str]":
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise UsageError(f"input {quoted(folder)} cannot be read: {error.strerror}") from error
    names = [name for name in names if os.path.isfile(os.path.join(folder, name))]
    for name in names:
        if any(ord(character) > 127 for character in name):
            raise UsageError(f"input {quoted(folder)} holds {quoted(name)}: rename it to ASCII")
    if not names:
        raise UsageError(f"input {quoted(folder)} holds no files; give a folder of logs")
    return [os.path.join(folder, name) for name in names]


def read_queries(path: str) -> "List[str]":
    named = f"queries {quoted(path)}"
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError as error:
        raise UsageError(f"{named} cannot be read; name a file of queries, one a line") from error
    for number, line in enumerate(lines, 1):
        if any(byte < 0x20 or byte > 0x7E for byte in line):
            raise UsageError(f"line {number} of {named}: a query is printable ASCII")
    queries = [line.decode("ascii") for line in lines if line]
    if not queries:
        raise UsageError(f"{named} holds no queries; write one a line")
    return queries
