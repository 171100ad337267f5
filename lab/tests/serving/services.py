"""Cells of services to be started for the tests of this room; the programs are `tests/services`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from experiment.plans import artefact
from experiment.plans import cell as plain_cell
from runfair.formats.plan import Cell, Factors
from runfair.formats.service import OperatingPoint, Readiness, ServicePoint
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher
from runfair.paths import REPOSITORY
from runfair.serving.instance import Surroundings

SERVICES = REPOSITORY / "tests" / "services"
MS = 1_000_000
# The tests' own machine is shared: what should be ready at once may take a while.
PATIENT = Readiness(timeout_ns=20_000 * MS)
HASTY = Readiness(timeout_ns=300 * MS)


def timed(*options: str) -> list[str]:
    return [sys.executable, str(SERVICES / "timed.py"), "--port", "{port}", *options]


def multiplexed(*lie: str) -> list[str]:
    return [sys.executable, str(SERVICES / "multiplexed.py"), "{port}", *lie]


def certificate_in(folder: Path) -> tuple[Path, Path]:
    """The certificate of a server on this machine, signed by itself, and its key. Skips the test
    if there is no openssl."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl here to make a certificate with")
    certificate, key = folder / "server.crt", folder / "server.key"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-nodes", "-days", "2"),
            *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    return certificate, key


def faulty(fault: str) -> list[str]:
    return [sys.executable, str(SERVICES / "faulty.py"), fault, "{port}"]


def traffic_in(folder: Path, line: str = '{"path": "/hello"}') -> Path:
    path = folder / "traffic.jsonl"
    path.write_text(line + "\n")
    return path


def point(folder: Path, **changes: Any) -> OperatingPoint:
    """100 requests a second over four connections."""
    values: dict[str, Any] = {
        "rate_per_s": 100,
        "connections": 4,
        "traffic": str(traffic_in(folder)),
        "traffic_sha256": "0" * 64,
        **changes,
    }
    return OperatingPoint.model_validate(values)


def cell(
    folder: Path,
    command: list[str],
    asked: OperatingPoint | None = None,
    factors: Factors | None = None,
    environment: dict[str, str] | None = None,
    **service: Any,
) -> Cell:
    """A user's command, or with `kind` and `url` something else."""
    built = artefact(command, str(folder)).model_copy(update={"environment": environment or {}})
    values = {"kind": "command", "ready": PATIENT, "point": asked or point(folder), **service}
    return plain_cell(
        mode="service",
        artefact=built,
        factors=factors or Factors(),
        service=ServicePoint.model_validate(values),
    )


def found(folder: Path, url: str, asked: OperatingPoint | None = None) -> Cell:
    """A service that runs already."""
    return cell(folder, [], asked, kind="url", url=url, ready=HASTY)


def surroundings(launcher: Launcher, raw: Path, **changes: Any) -> Surroundings:
    raw.mkdir(exist_ok=True)
    values: dict[str, Any] = {
        "launcher": launcher,
        "raw": raw,
        "processors": measured_processors(),
        "timeout_s": 60.0,
        "environment": clean_environment(),
        "stderr": raw / "stderr",
        **changes,
    }
    return Surroundings(**values)


def measured_processors() -> list[int]:
    return sorted(os.sched_getaffinity(0))[-1:]
