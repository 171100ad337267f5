"""Tests of child processes."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Run

IMPORTS = (
    "import { run, start } from 'sparrow:children';\n"
    "const text = (bytes) => new TextDecoder().decode(bytes);\n"
)


def test_a_program_runs_to_its_end(run: Run) -> None:
    done = run(
        IMPORTS + "const script = 'cat; echo $WORD $(pwd) >&2; exit 3';\n"
        "const env = { PATH: process.env.PATH, WORD: 'word', NONE: undefined };\n"
        "const input = 'x'.repeat(3e6);\n"
        "const { status, stdout, stderr } =\n"
        "  await run('sh', ['-c', script], { input, env, folder: '/' });\n"
        "console.log(status, text(stdout) === input, text(stderr));"
    )
    assert (done.stdout, done.stderr) == ("3 true word /\n\n", "")


def test_a_program_that_cannot_be_started_is_an_error_with_a_code(run: Run) -> None:
    done = run(
        IMPORTS + "try { start('no-such-program'); }\n"
        "catch (error) { console.log(error.code, error.message); }\n"
        "console.log((await run('true', [], { folder: '/none' }).catch((e) => e)).code);"
    )
    assert done.stdout == (
        "ENOENT no-such-program cannot be started: No such file or directory\nENOENT\n"
    ), done.stderr


@pytest.mark.parametrize(
    "started",
    [
        "start('true\\0x')",
        "start('true', ['a\\0b'])",
        "start('true', [], { env: { A: 'a\\0b' } })",
        "start('true', [], { folder: '/\\0b' })",
    ],
)
def test_a_word_that_the_system_would_cut_is_refused(started: str, run: Run) -> None:
    done = run(f"{IMPORTS}try {{ {started}; }} catch (error) {{ console.log(error.message); }}")
    assert "must not contain a null character" in done.stdout, done.stderr


def test_a_program_that_reads_and_writes_while_it_runs(run: Run) -> None:
    done = run(
        IMPORTS + "const child = start('cat');\n"
        "child.stdout.ondata = (bytes) => { console.log(text(bytes)); child.signal('SIGTERM'); };\n"
        "child.stdin.write(new TextEncoder().encode('echo'));\n"
        "console.log(await child.ended);\n"
        "child.signal('SIGTERM');"
    )
    assert (done.stdout, done.stderr) == ("echo\n143\n", "")


def test_a_program_need_not_read_its_input(run: Run) -> None:
    done = run(
        IMPORTS + "const { status } = await run('true', [], { input: 'x'.repeat(3e6) });\n"
        "console.log(status);"
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_a_program_is_ended_by_a_broken_pipe(run: Run) -> None:
    """Sparrow itself ignores SIGPIPE."""
    done = run(
        IMPORTS + "const script = 'yes | head -n 1';\n"
        "const told = await run('bash', ['-c', script + '; echo ${PIPESTATUS[0]}']);\n"
        "console.log(text(told.stdout), text(told.stderr));"
    )
    assert done.stdout == "y\n141\n \n", done.stderr


def test_a_program_that_outlives_its_worker_keeps_nobody_waiting(run: Run) -> None:
    done = run(
        IMPORTS + "import { startWorkers, worker } from 'sparrow:workers';\n"
        "if (!worker) startWorkers(1);\n"
        "else { console.log(start('sleep', ['600']).pid); process.exit(); }"
    )
    os.kill(int(done.stdout), signal.SIGKILL)
    assert done.stderr == ""


def test_a_program_of_a_worker_is_no_worker(run: Run) -> None:
    done = run(
        IMPORTS + "import { startWorkers, worker } from 'sparrow:workers';\n"
        "if (!worker) startWorkers(1);\n"
        "else console.log(text((await run('sh', ['-c', 'echo $SPARROW_WORKER,'])).stdout));"
    )
    assert done.stdout == ",\n\n", done.stderr
