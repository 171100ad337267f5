"""Tests of starting: the snapshot changes how fast a program starts, and nothing else."""

from __future__ import annotations

import json
import mmap
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

LIMIT_S = 120
OPENED = "console.log(readText('/proc/self/maps').includes('/snapshot.bin'));"
READS = "import { readText } from 'sparrow:files';\n"

ALIKE = {
    "globals": "console.log(Object.getOwnPropertyNames(globalThis));",
    "modules of the library": (
        "import * as tcp from 'sparrow:tcp';\nimport * as timers from 'sparrow:timers';\n"
        "import * as http from 'sparrow:http';\n"
        "console.log(Object.keys(tcp), Object.keys(timers), Object.keys(http));\n"
        "console.log(timers.setTimeout === setTimeout);"
    ),
    "timers": (
        "setTimeout(() => console.log('b'), 5);\nsetImmediate(() => console.log('a'));\n"
        "const i = setInterval(() => { console.log('c'); clearInterval(i); }, 20);"
    ),
    "URLs and text": (
        "const url = new URL('http://a.example:8080/b?c=%20d#e');\n"
        "console.log(url.href, url.searchParams.get('c'), new TextEncoder().encode('é'));\n"
        "console.log(Buffer.from('hello').toString('base64'), crypto.randomUUID().length);"
    ),
    "a throw in the library": "new URL('nowhere');",
    "a throw behind the library": "queueMicrotask(() => { throw new RangeError('far'); });",
    "a rejection": "Promise.reject(new Error('lost')); setTimeout(() => {}, 1e6);",
    "the library's source": "console.log(fetch.toString());",
    "threads": (
        "import { Worker, isMainThread, parentPort, threadId } from 'node:worker_threads';\n"
        "if (isMainThread) {\n"
        "  for (let i = 0; i < 2; i++)\n"
        "    await new Promise((go) => new Worker(import.meta.filename).on('message', (said) => {\n"
        "      console.log(said); go(); }));\n"
        "} else setTimeout(() => parentPort.postMessage([threadId, process.argv.length]), 1);"
    ),
    "processes": (
        "import { startWorkers, worker } from 'sparrow:workers';\n"
        "if (worker) worker.channel.send([worker.index, process.pid]);\n"
        "else for (const one of startWorkers(1))\n"
        "  one.onmessage = ([index, pid]) => console.log(index, pid === one.pid);"
    ),
}


@pytest.fixture(scope="module")
def home(sparrow: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what was built, with a snapshot of its own."""
    asked = [str(sparrow), "-p", "process.execPath"]
    launcher = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    copy = tmp_path_factory.mktemp("sparrow") / "home"
    ignored = shutil.ignore_patterns("objects")
    shutil.copytree(Path(launcher).parent, copy, symlinks=True, ignore=ignored)
    subprocess.run([copy / "sparrow", "--make-snapshot"], check=True)
    return copy


def ran(home: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    program = home / "program.js"
    program.write_text(source, encoding="utf-8")
    return subprocess.run(
        [home / "sparrow", *options, program],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def opens(home: Path, *options: str) -> bool:
    """Whether a program starts from the snapshot. It runs in either case."""
    done = ran(home, READS + OPENED, *options)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout == "true\n"


def test_the_switch(home: Path) -> None:
    assert opens(home)
    assert not opens(home, "--no-snapshot")


@pytest.mark.parametrize("name", ALIKE)
def test_programs_behave_alike(name: str, home: Path) -> None:
    fast, plain = (ran(home, ALIKE[name], *options) for options in ([], ["--no-snapshot"]))
    assert fast.stdout + fast.stderr != ""
    assert (fast.stdout, fast.stderr, fast.returncode) == (
        plain.stdout,
        plain.stderr,
        plain.returncode,
    )


def test_values_are_those_of_the_process(home: Path, tmp_path: Path) -> None:
    """The process that made the snapshot had another folder, environment, number and age."""
    program = tmp_path / "program.js"
    program.write_text(
        "import { args, env, pid } from 'sparrow:process';\n"
        "const colours = [env.COLOUR, process.env.COLOUR];\n"
        "const times = [performance.timeOrigin, performance.now()];\n"
        "console.log(JSON.stringify([process.argv, args, colours, pid, process.cwd(), times]));"
    )
    before_ms = time.time_ns() // 10**6
    with subprocess.Popen(
        [home / "sparrow", program, "one", "two"],
        cwd=tmp_path,
        env={**os.environ, "COLOUR": "green"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        said, _ = process.communicate(timeout=LIMIT_S)
    argv, args, colours, pid, folder, (origin_ms, age_ms) = json.loads(said)
    assert argv == [str(home / "sparrow"), str(program), "one", "two"]
    assert args == ["one", "two"]
    assert colours == ["green", "green"]
    assert (pid, folder) == (process.pid, str(tmp_path))
    now_ms = time.time_ns() // 10**6
    assert before_ms <= origin_ms <= now_ms
    assert 0 <= age_ms <= now_ms - before_ms + 1


def test_a_file_that_does_not_fit_is_left(home: Path) -> None:
    """A damaged or missing file, and one of another engine or of other flags."""
    file = home / "snapshot.bin"
    whole = file.read_bytes()
    half = len(whole) // 2
    damaged = {
        "empty": b"",
        "only the head": whole[:16],
        "torn": whole[:half],
        "a changed byte": whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :],
        "another engine": bytes([whole[0] ^ 1]) + whole[1:],
        "another version": whole[:8] + bytes([whole[8] ^ 1]) + whole[9:],
        "another kind of file": b"#!/bin/sh\n" * 100,
    }
    for name, content in damaged.items():
        file.write_bytes(content)
        assert not opens(home), name
    file.unlink()
    assert not opens(home)
    file.write_bytes(whole)
    assert opens(home)
    assert not opens(home, "--v8=--jitless")


def test_the_seed_of_hashes_is_not_the_engines(home: Path) -> None:
    """V8 has to give its own strings new hashes, which this build of it does not do by itself."""
    done = ran(home, "", "--v8=--help")
    assert "default: --rehash-snapshot\n" in done.stdout
    assert (
        "default: --no-rehash-snapshot\n"
        in ran(home, "", "--v8=--no-rehash-snapshot", "--v8=--help").stdout
    )


def test_the_engine_can_leave_out_the_search_for_deadlocks(home: Path) -> None:
    """Without this function of Abseil, sparrow starts too, but each lock costs more time."""
    name = b"_ZN4absl29SetMutexDeadlockDetectionModeENS_15OnDeadlockCycleE\0"
    with (home / "engine").open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    assert content.find(name) >= 0
