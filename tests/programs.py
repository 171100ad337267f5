"""Programs that break the contract, each in its own way, and one that keeps it."""

from __future__ import annotations

PREAMBLE = r"""#!/usr/bin/env python3
import json, os, signal, subprocess, sys, time

def say(event, **values):
    sys.stdout.write(json.dumps({"event": event, **values}) + "\n")

given = dict(word.split("=", 1) for word in sys.argv[1:])

def start(**changes):
    say("start", **{"contract": 2, "benchmark": "sort", "language": "c++", "tier": "standard",
        "runtime": "odd 1.0", "threads": 1, "processors": 1,
        "monotonic_ns": time.monotonic_ns(), "realtime_ns": time.time_ns(),
        "cpu_clock_resolution_ns": 1, "effective": {}, **changes})

def iteration(index, digest="DIGEST", **changes):
    began, cpu = time.monotonic_ns(), time.process_time_ns()
    while time.monotonic_ns() - began < 2_000_000:
        pass
    say("iteration", **{"index": index, "started_monotonic_ns": began,
        "wall_ns": time.monotonic_ns() - began, "cpu_ns": time.process_time_ns() - cpu,
        "digest": digest, **changes})
"""

HONEST = (
    PREAMBLE
    + r"""
import select
start()
began, done = time.monotonic(), 0
limit, seconds = int(given["iterations"]), float(given.get("seconds", "60"))
while True:
    iteration(done)
    done += 1
    told = limit == 0 and select.select([0], [], [], 0)[0]
    if (limit and done >= limit) or time.monotonic() - began > seconds or told:
        break
say("end", iterations=done)
"""
)

# Records two samples of 2 µs and one of 4 µs in the file of `latency`. A runtime that never returns
# hangs in its first iteration.
SAMPLING = """
import mmap
with open(given["samples"] + "/latency.counts", "w+b") as file:
    file.truncate(8 * (1 + 38 * 1024))
    counts = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
start(benchmark="wake-up"); sys.stdout.flush()
counts[1 + 2000], counts[1 + 3024] = 2, 1
if HANGS:
    while True: time.sleep(1)
iteration(0, samples={"latency": [2000, 2, 3024, 1]})
say("end", iterations=1)
"""

# name: (what it does after the preamble, what the record must say of it)
ODD: dict[str, tuple[str, str]] = {
    "silent": ("", "printed no `start` line"),
    "chatty": ('print("hello")', "does not follow the contract"),
    "other-json": ('print(\'{"event": "hello"}\')', "does not follow the contract"),
    "half-a-line": (
        'start(); iteration(0); sys.stdout.write(\'{"event": "e\')',
        "does not end with a line feed",
    ),
    "no-end": ("start(); iteration(0)", "no `end` line"),
    "no-iteration": ('start(); say("end", iterations=0)', "no iteration"),
    "wrong-digest": (
        'start(); iteration(0, "0123456789abcdef"); say("end", iterations=1)',
        "the digest of the right answer is",
    ),
    "fickle": ('start(); iteration(0); iteration(1, "0" * 16)', "gave the digest"),
    "noise": ("sys.stdout.buffer.write(os.urandom(1 << 20))", "does not follow the contract"),
    "flood": (
        "start()\nfor _ in range(1_000_000): print('y' * 60)",
        "does not follow the contract",
    ),
    "long-line": ("start()\nwhile True: sys.stdout.write('z' * 65536)", "a line of more than"),
    "status": ('sys.stderr.write("no luck\\n"); sys.exit(7)', "exit status 7: no luck"),
    "old": ("start(contract=1)", "version 1 of the program contract"),
    "signal": ("os.kill(os.getpid(), signal.SIGSEGV)", "signal 11"),
    "hanging": (
        "start(); sys.stdout.flush()\nwhile True: time.sleep(1)",
        "the program did not exit within",
    ),
    "hanging-tree": (
        "subprocess.Popen(['setsid', 'sleep', '600.125'])\nwhile True: time.sleep(1)",
        "the program did not exit within",
    ),
}
