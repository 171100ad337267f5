"""Answers with a segment that was held up, in a network namespace of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from runfair.formats.load_result import LoadResult, read_result
from runfair.formats.records_file import read_records

NETWORK = Path(__file__).with_name("lossy_network.py")
REQUESTS = 400
RATE_PER_S = 400
HELD_MS = 212
# The kernel's stamp is of the realtime clock, the network's of the monotonic one.
EARLIEST_NS = -1_000_000


def measured(
    load_generator: Path, folder: Path, every: int
) -> tuple[LoadResult, np.ndarray, np.ndarray]:
    """The result; how long each request was under way, ns; and by how much each answer was said to
    have come later than it was whole at this host, ns."""
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        pytest.skip("a network of one's own takes root and /dev/net/tun")
    if missing := [name for name in ("unshare", "ip") if shutil.which(name) is None]:
        pytest.skip(f"{', '.join(missing)} is not here: ./check --install")
    files = [folder / "load.json", folder / "load.records"]
    done = subprocess.run(
        [
            *("unshare", "--net", sys.executable, NETWORK, str(every), str(HELD_MS)),
            *(load_generator, "--rate", str(RATE_PER_S), "--requests", str(REQUESTS)),
            *("--connections", "20", "--json", files[0], "--records", files[1]),
        ],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stdout, done.stderr.decode()
    result = read_result(files[0])
    rows = read_records(files[1]).rows
    assert result.requests.good == len(rows) == REQUESTS
    whole_ns = np.sort(json.loads(done.stdout))
    said_ns = np.sort(rows["done_ns"].astype(np.int64)) + result.started.monotonic_ns
    took_ns = rows["done_ns"].astype(np.int64) - rows["sent_ns"].astype(np.int64)
    return result, took_ns, said_ns - whole_ns


def test_an_answer_has_come_when_it_can_be_read(load_generator: Path, tmp_path: Path) -> None:
    result, took_ns, later_ns = measured(load_generator, tmp_path, every=20)
    held = REQUESTS // 20
    assert np.count_nonzero(took_ns > 200_000_000) >= held
    assert later_ns.min() > EARLIEST_NS
    assert result.network.overtaken >= held
    assert result.network.out_of_order >= held
    (finding,) = (one for one in result.verdict.findings if one.check == "lost_segments")
    assert finding.severity == "warning"
    assert str(result.network.out_of_order) in finding.message


def test_a_network_that_holds_nothing_up_is_not_blamed(
    load_generator: Path, tmp_path: Path
) -> None:
    result, _, later_ns = measured(load_generator, tmp_path, every=10 * REQUESTS)
    assert later_ns.min() > EARLIEST_NS
    assert result.network.out_of_order == 0
    assert "lost_segments" not in {one.check for one in result.verdict.findings}
