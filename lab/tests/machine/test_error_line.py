"""The one line that says why a program ended, among those that say where."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.machine.launching import LONGEST_ERROR, error_line

# As the runtimes write them; frames are shortened in number.
JAVA = """\
Exception in thread "main" java.lang.OutOfMemoryError: Java heap space
\tat langbench.Sort.load(Sort.java:96)
\tat langbench.Sort.main(Sort.java:169)
"""
JAVA_CAUSE = """\
Exception in thread "main" java.lang.ExceptionInInitializerError
\tat langbench.Sort.main(Sort.java:169)
Caused by: java.lang.IllegalStateException: no luck
\tat langbench.Sort.<clinit>(Sort.java:12)
\t... 1 more
"""
V8 = """\

<--- Last few GCs --->

[1729:0xe10d350]     2087 ms: Mark-Compact 5.4 (6.9) -> 4.5 (7.1) MB, 48.66 / 0.00 ms  (average


<--- JS stacktrace --->

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [/usr/bin/node]
10: 0x195e476  [/usr/bin/node]
"""
V8_EARLY = """\

<--- JS stacktrace --->


#
# Fatal javascript OOM in GC during deserialization
#
"""
NODE = """\
node:fs:573
  return binding.open(
                 ^

Error: ENOENT: no such file or directory, open 'x'
    at Object.openSync (node:fs:573:18) {
  errno: -2,
  code: 'ENOENT',
}

Node.js v20.20.2
"""
GO = """\
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.main()
\t/srv/main.go:5 +0x1d
exit status 2
"""
GO_FATAL = """\
runtime: out of memory: cannot allocate 4194304-byte block (3997696 in use)
fatal error: out of memory

goroutine 1 gp=0xc000002380 m=0 mp=0x5713a0 [running]:
runtime.throw({0x4a1b2c?, 0x0?})
\t/usr/lib/go/src/runtime/panic.go:1101 +0x48
"""
RUST = """\
thread 'main' (123) panicked at sort/main.rs:7:5:
index out of bounds: the len is 3 but the index is 99
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
PYTHON = """\
Traceback (most recent call last):
  File "sort.py", line 3, in <module>
    raise MemoryError
MemoryError
"""
OWN = "colouring: line 2 of the input: an edge is two ids and a tab between\n"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (JAVA, 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space'),
        (JAVA_CAUSE, "Caused by: java.lang.IllegalStateException: no luck"),
        (V8, "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"),
        (V8_EARLY, "Fatal javascript OOM in GC during deserialization"),
        (NODE, "Error: ENOENT: no such file or directory, open 'x'"),
        (GO, "panic: runtime error: index out of range [5] with length 3"),
        (GO_FATAL, "fatal error: out of memory"),
        (RUST, "index out of bounds: the len is 3 but the index is 99"),
        (PYTHON, "MemoryError"),
        (OWN, OWN.strip()),
        ("a warning\n\nno luck\n\n", "no luck"),
    ],
)
def test_the_line_that_says_why(said: str, line: str, tmp_path: Path) -> None:
    file = tmp_path / "stderr"
    file.write_text(said)
    assert error_line(file) == f": {line}"


def test_a_deep_stack_does_not_hide_it(tmp_path: Path) -> None:
    file = tmp_path / "stderr"
    frames = "\tat langbench.Sort.deeper(Sort.java:12345)\n" * 1024
    file.write_text(f'Exception in thread "main" java.lang.StackOverflowError\n{frames}')
    assert error_line(file).endswith("java.lang.StackOverflowError")


def test_nothing_was_said(tmp_path: Path) -> None:
    file = tmp_path / "stderr"
    assert error_line(file) == ""
    file.write_text("\n \n")
    assert error_line(file) == ""


def test_it_is_short_and_one_line_whatever_was_written(tmp_path: Path) -> None:
    file = tmp_path / "stderr"
    file.write_bytes(b"\xff" * 3_000_000 + b"\nlast " + b"y" * 1000)
    assert error_line(file) == ": last " + "y" * (LONGEST_ERROR - 5)
