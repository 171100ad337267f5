"""Tests the properties of the logs that contract.md promises, with independent code."""

from __future__ import annotations

import hashlib
import re
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from langbench.log import generate, transcription
from langbench.log.python.folder import QUERIES

BENCHMARKS = Path(__file__).parents[2]
TINY = {"files": 8, "size": 8000}
TINY_SHA256 = {
    "hadoop": "dd07905a40a4b7b312cbb27628654f5eb09580fc9c28d670b18c7ea526e445a2",
    "spark": "c5994cc698c7d9282db9ed4d58832168fca3f5d103e404f27feff98e17209002",
}


def folder_of(workload: str, seed: int, files: int, size: int) -> transcription.Folder:
    made = generate.generate(workload, seed, files, size)
    return {name: "".join(lines).encode("ascii") for name, lines in made}


def log_type(line: bytes) -> bytes:
    """The line with every variable replaced by one placeholder."""
    made, done = b"", 0
    for begin, end in transcription.spans(line):
        if transcription.is_variable(line, begin, end):
            made, done = made + line[done:begin] + b"\x11", end
    return made + line[done:]


@pytest.mark.parametrize(
    ("workload", "mean", "median", "longest", "templates", "words", "with_digits"),
    [("hadoop", 191, 187, 565, 114, 8.2, 1.9), ("spark", 97, 95, 137, 36, 8.6, 2.5)],
)
def test_lines_are_those_of_the_study(
    workload: str,
    mean: float,
    median: float,
    longest: int,
    templates: int,
    words: float,
    with_digits: float,
) -> None:
    folder = folder_of(workload, 3, 12, 185_600)
    lines = [line for content in folder.values() for line in transcription.lines_of(content)]
    assert statistics.mean(map(len, lines)) == pytest.approx(mean, rel=0.02)
    assert statistics.median(map(len, lines)) == pytest.approx(median, rel=0.02)
    assert max(map(len, lines)) <= longest
    assert max(map(len, lines)) >= 0.98 * longest
    types = Counter(map(log_type, lines))
    assert len(types) == templates
    assert sum(count for _, count in types.most_common(10)) / len(lines) == pytest.approx(
        0.85, abs=0.01
    )
    messages = [line.partition(b": ")[2].split() for line in lines]
    assert statistics.mean(map(len, messages)) == pytest.approx(words, abs=0.4)
    digits = [sum(re.search(rb"\d", word) is not None for word in words) for words in messages]
    assert statistics.mean(digits) == pytest.approx(with_digits, abs=0.2)


def test_files_have_half_to_one_and_a_half_times_the_size() -> None:
    sizes = [len(content) for content in folder_of("spark", 5, 60, 20_000).values()]
    assert 10_000 <= min(sizes) < 13_000
    assert 27_000 < max(sizes) < 30_000 + 200
    assert statistics.mean(sizes) == pytest.approx(20_000, rel=0.1)


@pytest.mark.parametrize("workload", ["hadoop", "spark"])
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
@pytest.mark.parametrize(("files", "size"), [(1, 1), (8, 8000)])
def test_every_query_hits_at_every_size(workload: str, seed: int, files: int, size: int) -> None:
    answer = transcription.searched(folder_of(workload, seed, files, size), QUERIES[workload])
    assert len(answer.matches) == 7
    assert all(answer.matches)
    # A query finds some lines, but not all.
    lines = answer.counters["lines"] // 7
    assert files == 1 or all(len(found) < lines / 10 for found in answer.matches)


def test_queries_are_the_contracts() -> None:
    contract = Path(__file__).with_name("contract.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d \| `(.+?)` \| `(.+?)` \|", contract, flags=re.MULTILINE)
    assert [row[0] for row in rows] == list(QUERIES["hadoop"])
    assert [row[1] for row in rows] == list(QUERIES["spark"])


@pytest.mark.parametrize("workload", ["hadoop", "spark"])
def test_the_bytes_are_the_same_everywhere(workload: str, tmp_path: Path) -> None:
    output = tmp_path / "logs"
    arguments = ["--workload", workload, "--seed", "1", "--files", "8", "--bytes", "8000"]
    command = [sys.executable, "-m", "langbench.log.generate", *arguments, "--output", str(output)]
    subprocess.run(command, check=True, cwd=BENCHMARKS)
    written = {path.name: path.read_bytes() for path in output.iterdir()}
    assert written == folder_of(workload, 1, **TINY)
    total = hashlib.sha256(b"".join(content for _, content in sorted(written.items())))
    assert total.hexdigest() == TINY_SHA256[workload]


def test_seeds_differ() -> None:
    assert folder_of("hadoop", 1, **TINY) != folder_of("hadoop", 2, **TINY)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--files", "0", "--bytes", "100"], "ask for 1 to 1000000 files, not 0"),
        (["--files", "1", "--bytes", "0"], "ask for files of at least 1 byte, not 0"),
        (
            ["--files", "1", "--bytes", "9", "--seed", "-1"],
            "give a seed from 0 to 2^64 - 1, not -1",
        ),
        (["--files", "1", "--bytes", "9", "--workload", "odd"], "invalid choice: 'odd'"),
    ],
)
def test_a_mistake_is_told(arguments: list[str], told: str, tmp_path: Path) -> None:
    base = ["--workload", "spark", "--seed", "1", "--output", str(tmp_path / "logs")]
    command = [sys.executable, "-m", "langbench.log.generate", *base, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=BENCHMARKS)
    assert done.returncode == 2
    assert told in done.stderr
