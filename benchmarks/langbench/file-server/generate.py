"""Generates the input of the benchmark file-server, as contract.md in this folder specifies.

    python -m langbench.file-server.generate --workload logs --seed 1 --files 8 --bytes 16384
        --output FOLDER

A pool of log lines is drawn once. A file consists of stretches of the pool, as many as its size
needs. Each stretch begins with a line that names the file and the stretch, so all files differ. All
random numbers are integers from SplitMix64, so the same arguments give the same bytes on every
version of Python.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from harness.python.harness import MASK_64, SplitMix64

WORKLOADS = ("logs", "small-files")
SMALL_FILES = 16  # this many times the number of requested files
MOST_FILES = 6250  # their names have five digits
LEAST_BYTES = 1024
MOST_BYTES = 256 * 2**20  # of the mean: the largest file is three times as long, and below 1 GiB
POOL_BYTES = 2**20
MODIFIED_S = 1_657_530_000  # 2022-07-11, the study's own day: heads do not depend on ours

LEVELS = ("INFO", "INFO", "INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR")
# The messages of lines; # stands for a number.
MESSAGES = (
    "org.apache.hadoop.mapreduce.Job: map #% reduce #%",
    "org.apache.hadoop.mapred.Task: Task 'attempt_#_#_m_#_0' done",
    "org.apache.hadoop.hdfs.DFSClient: read block blk_#_# of # bytes in # ms",
    "org.apache.hadoop.hdfs.server.datanode.DataNode: Received block blk_#_# size # from /10.0.#.#",
    "org.apache.spark.executor.Executor: Finished task #.0 in stage #.0 (TID #). # bytes result",
    "org.apache.spark.storage.BlockManager: Found block rdd_#_# locally",
    "org.apache.hadoop.yarn.server.nodemanager.Monitor: Memory usage of container_#_#: # B",
    "org.apache.hadoop.ipc.Client: Retrying connect to server: node-#/10.0.#.#:#, already tried #",
)


class RequestError(ValueError):
    """A workload is unknown, or a number is out of range."""


def check(workload: str, seed: int, files: int, mean: int) -> None:
    """Checks the arguments. Raises RequestError if one of them is invalid."""
    if workload not in WORKLOADS:
        raise RequestError(f"workload {workload!r} is unknown, choose from {', '.join(WORKLOADS)}")
    if not 0 <= seed <= MASK_64:
        raise RequestError(f"give a seed from 0 to 2^64 - 1, not {seed}")
    if not 1 <= files <= MOST_FILES:
        raise RequestError(f"ask for 1 to {MOST_FILES} files, not {files}")
    if not LEAST_BYTES <= mean <= MOST_BYTES:
        raise RequestError(f"ask for {LEAST_BYTES} to {MOST_BYTES} bytes, not {mean}")


def sizes(random: SplitMix64, workload: str, files: int, mean: int) -> Iterator[int]:
    """The sizes of the files of `logs`. Each of four octaves is equally frequent, and sizes are
    uniform within an octave, so few files are large. The sizes are 1 to 16 times 8/45 of the mean,
    because the mean of these factors is 45/8."""
    if workload == "small-files":
        for _ in range(files * SMALL_FILES):
            yield 1024 + random.bounded(7 * 1024 + 1)
    else:
        for _ in range(files):
            octave = random.bounded(4)
            yield (mean * 8 << octave) * (2**32 + (random.next() >> 32)) // (45 * 2**32)


def pool(random: SplitMix64) -> bytes:
    """Lines of a log, with at least POOL_BYTES bytes in all."""
    lines = []
    length = 0
    milliseconds = 0
    while length < POOL_BYTES:
        milliseconds += random.bounded(2000)
        seconds = milliseconds // 1000
        level = LEVELS[random.bounded(len(LEVELS))]
        first, *rest = MESSAGES[random.bounded(len(MESSAGES))].split("#")
        message = first + "".join(f"{random.bounded(100_000)}{part}" for part in rest)
        time = f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        line = f"2022-07-11 {time},{milliseconds % 1000:03} {level} {message}\n"
        lines.append(line.encode("ascii"))
        length += len(lines[-1])
    return b"".join(lines)


def stretches(lines: bytes, number: int, start: int, size: int) -> Iterator[bytes]:
    """The content of a file: `size` bytes. The last byte ends a line."""
    left = size - 1
    stretch = 0
    while left > 0:
        title = f"file {number} stretch {stretch}\n".encode("ascii")
        part = (title + lines[start:])[:left]
        yield part
        left -= len(part)
        start = 0
        stretch += 1
    yield b"\n"


def write(folder: Path, workload: str, seed: int, files: int, mean: int) -> None:
    """Make the files, and the requests for them. Raises RequestError, OSError."""
    check(workload, seed, files, mean)
    random = SplitMix64(seed)
    lines = pool(random)
    (folder / "files").mkdir(parents=True)
    requests = []
    for number, size in enumerate(sizes(random, workload, files, mean)):
        path = folder / "files" / f"{number:05}.log"
        digest = hashlib.sha256()
        start = lines.index(b"\n", random.bounded(POOL_BYTES // 2)) + 1
        with path.open("wb") as file:
            for part in stretches(lines, number, start, size):
                file.write(part)
                digest.update(part)
        os.utime(path, (MODIFIED_S, MODIFIED_S))
        expect = {"status": 200, "body_sha256": digest.hexdigest()}
        requests.append({"path": f"/{path.name}", "expect": expect})
        if sys.stderr.isatty():
            print(f"\rfile-server: {number + 1} files", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    traffic = "".join(f"{json.dumps(request)}\n" for request in requests)
    (folder / "traffic.jsonl").write_text(traffic, "ascii")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make files for the benchmark file-server.")
    parser.add_argument("--workload", choices=WORKLOADS, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--files", type=int, required=True, help="how many")
    parser.add_argument("--bytes", type=int, required=True, help="their mean size")
    parser.add_argument("--output", type=Path, required=True, help="a folder, empty or not there")
    asked = parser.parse_args()
    try:
        write(asked.output, asked.workload, asked.seed, asked.files, asked.bytes)
    except (RequestError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
