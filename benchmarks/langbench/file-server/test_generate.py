"""Tests the properties of the input that contract.md promises."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.python.harness import SplitMix64

from . import generate

BENCHMARKS = Path(__file__).parents[2]
# The digest of every file's name and bytes, in order.
SHA256 = {
    "logs": "70bc648c2034ab08e999cf26549c0753bfcbfc49e9f9d537f6c65f9c66d95547",
    "small-files": "29929d92fbee67d3bca31f0fe0c9da2200bceab5b96a36073da26f3c2e4bb67a",
}


def content_sha256(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


@pytest.fixture(scope="module", params=generate.WORKLOADS)
def workload(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def made(workload: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "input"
    generate.write(folder, workload, seed=1, files=200, mean=16384)
    return folder


def test_traffic_asks_once_for_every_file(made: Path) -> None:
    requests = [json.loads(line) for line in (made / "traffic.jsonl").read_text().splitlines()]
    files = sorted((made / "files").iterdir())
    assert [request["path"] for request in requests] == [f"/{path.name}" for path in files]
    for request, path in zip(requests, files, strict=True):
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        assert request["expect"] == {"status": 200, "body_sha256": sha256}


def test_files_are_text_and_all_different(made: Path, workload: str) -> None:
    contents = [path.read_bytes() for path in (made / "files").iterdir()]
    assert len(contents) == (200 if workload == "logs" else 3200)
    assert len(set(contents)) == len(contents)
    for content in contents:
        assert content.isascii()
        assert content.endswith(b"\n")
        assert content.startswith(b"file ")


def test_sizes(made: Path, workload: str) -> None:
    sizes = sorted(path.stat().st_size for path in (made / "files").iterdir())
    if workload == "small-files":
        assert 1024 <= sizes[0] < 1200
        assert 8000 < sizes[-1] <= 8192
    else:
        # Sizes lie between 8/45 of the mean and 16 times that. The seed is fixed, so the test
        # cannot fail by chance.
        assert 16384 * 8 // 45 <= sizes[0] < 16384 / 4
        assert 2 * 16384 < sizes[-1] <= 16384 * 128 / 45
        assert 0.9 < sum(sizes) / 200 / 16384 < 1.1
        assert sizes[100] < sum(sizes) / 200  # few files are large


def test_a_file_longer_than_the_pool_goes_on() -> None:
    random = SplitMix64(5)
    lines = generate.pool(random)
    content = b"".join(generate.stretches(lines, 7, 0, 3 * len(lines)))
    assert len(content) == 3 * len(lines)
    assert [content.count(b"file 7 stretch %d\n" % stretch) for stretch in range(4)] == [1, 1, 1, 0]


def test_same_arguments_same_bytes(workload: str, tmp_path: Path) -> None:
    output = tmp_path / "input"
    arguments = ["--workload", workload, "--seed", "1", "--files", "8", "--bytes", "16384"]
    subprocess.run(
        [
            sys.executable,
            "-m",
            "langbench.file-server.generate",
            *arguments,
            "--output",
            str(output),
        ],
        check=True,
        cwd=BENCHMARKS,
    )
    assert content_sha256(output) == SHA256[workload]
    assert [path.name for path in tmp_path.iterdir()] == ["input"]


def test_another_seed_other_files(made: Path, workload: str, tmp_path: Path) -> None:
    generate.write(tmp_path / "other", workload, seed=2, files=200, mean=16384)
    paths = [made / "traffic.jsonl", tmp_path / "other" / "traffic.jsonl"]
    ours, others = (set(path.read_text().split('"body_sha256": ')) for path in paths)
    assert not ours & others - {'{"path": "/00000.log", "expect": {"status": 200, '}


@pytest.mark.parametrize(
    ("workload", "seed", "files", "mean"),
    [
        ("web", 1, 8, 16384),
        ("logs", -1, 8, 16384),
        ("logs", 2**64, 8, 16384),
        ("logs", 1, 0, 16384),
        ("logs", 1, 6251, 16384),
        ("logs", 1, 8, 1023),
        ("logs", 1, 8, 2**30),
    ],
)
def test_requests_out_of_range(
    workload: str, seed: int, files: int, mean: int, tmp_path: Path
) -> None:
    with pytest.raises(generate.RequestError):
        generate.write(tmp_path / "input", workload, seed, files, mean)
    assert list(tmp_path.iterdir()) == []
