"""Counts the system calls with which each program serves a file, by strace.

    PYTHONPATH=lab python benchmarks/langbench/file-server/read_pattern.py [--bytes N]

According to section 8.3 of the study, the managed runtimes request a file's size and read the file
by a single call, while the study's first C++ program read it piece by piece. Each program serves
one file many times. The output shows the calls on the file that one request makes.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import shutil
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(BENCHMARKS))

from built_program import usual  # noqa: E402 - behind the path to it
from runfair.building.artefact import build  # noqa: E402
from runfair.building.failure import Unsupported  # noqa: E402
from runfair.catalogue.benchmark import benchmarks  # noqa: E402
from runfair.errors import UserMistake  # noqa: E402
from runfair.formats.variant import Artefact  # noqa: E402
from started_service import (  # noqa: E402
    NotReady,
    ServiceProgram,
    StartedService,
    service_options,
)

FILES = 20
GROUPS = {
    "open": ("open", "openat"),
    "stat": ("fstat", "lstat", "stat", "newfstatat", "statx"),
    "read": ("read", "pread64", "readv", "preadv", "preadv2"),
    "seek": ("lseek",),
    "map": ("mmap",),
    "send": ("sendfile", "splice"),
}
CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\((.*)$")
LIMIT_S = 60
EOL = b"\r\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bytes", type=int, default=1_000_000, help="size of the file")
    asked = parser.parse_args()
    if shutil.which("strace") is None:
        parser.error("strace is missing: apt-get install strace")
    print(f"calls a request for a file of {asked.bytes} bytes")
    print(f"{'program':<44}{''.join(f'{name:>8}' for name in GROUPS)}")
    for source in benchmarks()["file-server"].programs:
        variant = usual(source)
        if variant is None:
            continue
        try:
            artefact = build(variant, source)
        except (UserMistake, Unsupported) as reason:
            print(f"{source.language} {source.tier}: {reason}", file=sys.stderr)
            continue
        counts = pattern(artefact, asked.bytes)
        shown = "".join(f"{counts[name]:>8.1f}" for name in GROUPS)
        print(f"{f'{source.language} ({source.tier}) {variant.name}':<44}{shown}", flush=True)


def pattern(artefact: Artefact, size: int) -> dict[str, float]:
    """The number of calls on the file per request, by group of calls."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "files").mkdir()
        path = folder / "files" / "served.log"
        path.write_bytes(b"x" * (size - 1) + b"\n")
        counts = counted(artefact, folder)
    return {name: counts[name] / FILES for name in GROUPS}


def counted(artefact: Artefact, folder: Path) -> Counter[str]:
    trace, said = folder / "trace", folder / "said"
    names = ",".join(name for group in GROUPS.values() for name in group)
    strace = ["strace", "-f", "-y", "-qq", "-e", f"trace=?{names.replace(',', ',?')}"]
    traced = [*strace, "-o", str(trace), *artefact.command]
    program = ServiceProgram(
        "file-server", "", "", traced, artefact.environment, artefact.directory
    )
    options = service_options(benchmarks()["file-server"], {"input": folder})
    try:
        with program.started(StartedService, said, *options) as running:
            ask(running.port)
            # strace does not pass the signal on to the program.
            pid = running.process.pid
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
            for child in children.split():
                os.kill(int(child), signal.SIGTERM)
            running.check_end()
    except NotReady:
        raise UserMistake("a program did not start under strace; is ptrace allowed here?") from None
    return of_the_file(trace.read_text("utf-8", "replace"))


def ask(port: int) -> None:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
    for _ in range(FILES):
        client.request("GET", "/served.log")
        answer = client.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
    client.close()


def of_the_file(trace: str) -> Counter[str]:
    """The calls that name the file or its descriptor. strace -y prints a descriptor with its full
    path, while the data of a socket contain only the file's name."""
    groups = {name: group for group, names in GROUPS.items() for name in names}
    counts: Counter[str] = Counter()
    for line in trace.splitlines():
        call = CALL.match(line)
        if call and "/files/served.log" in call[2]:
            counts[groups[call[1]]] += 1
    return counts


if __name__ == "__main__":
    main()
