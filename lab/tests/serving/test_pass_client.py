"""What the client of a file server asks, and what it makes of the answers."""

from __future__ import annotations

import json
from pathlib import Path

from runfair.formats.plan import Drive, DrivenLoad
from runfair.serving.address import Address
from runfair.serving.pass_client import FileClient, requests_in


def fnv1a(data: bytes) -> str:
    """The contract's, whose own test vector is the first assertion's."""
    total = 0xCBF29CE484222325
    for byte in data:
        total = (total ^ byte) * 0x100000001B3 & (2**64 - 1)
    return f"{total:016x}"


def test_the_hash_of_this_file() -> None:
    assert fnv1a(b"a") == "af63dc4c8601ec8c"  # draft-eastlake-fnv, appendix C


def made(folder: Path, sha256: str = "a" * 64) -> FileClient:
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "one.log").write_bytes(b"12345")
    (folder / "files" / "two.log").write_bytes(b"678")
    traffic = folder / "traffic.jsonl"
    lines = [
        {"path": "/one.log", "expect": {"status": 200, "body_sha256": sha256}},
        {"path": "/two.log", "expect": {"status": 200, "body_sha256": "b" * 64}},
    ]
    traffic.write_text("".join(json.dumps(line) + "\n" for line in lines))
    drive = Drive(protocol="http", connections=2, requests=2, traffic=str(traffic))
    return FileClient(drive, Address("127.0.0.1", 9))


def test_each_file_is_asked_for_once(tmp_path: Path) -> None:
    client = made(tmp_path)
    ((name, load),) = client.loads()
    assert name == "files"
    assert load.closed
    assert (load.requests, load.connections) == (2, 2)
    assert requests_in(Path(client.drive.traffic)) == 2


def test_the_work_is_what_was_answered(tmp_path: Path) -> None:
    client = made(tmp_path)

    def answered(requests: int) -> DrivenLoad:
        return DrivenLoad(
            iteration=0,
            name="files",
            elapsed_ns=1,
            requests=requests,
            misses=0,
            generator_share=0.5,
        )

    assert client.operations([answered(2)]) == {"requests": 2, "body_bytes": 8}
    assert client.operations([answered(5)]) == {"requests": 5, "body_bytes": 2 * 8 + 5}


def test_the_digest_is_of_what_bodies_are_compared_with(tmp_path: Path) -> None:
    first = made(tmp_path / "a").digest()
    assert first == made(tmp_path / "b").digest()
    assert first != made(tmp_path / "c", "c" * 64).digest()
    lines = f"/one.log {'a' * 64}\n/two.log {'b' * 64}\n".encode()
    assert first == fnv1a(lines)
