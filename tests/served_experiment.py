"""Experiments with the little services of `services/`, and what a run says of them."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from laboratory import Lab
from runfair.formats.records_file import read_records

SERVICES = Path(__file__).parent / "services"
LAB = Path(__file__).parent.parent / "lab"
MESSAGE = b"\x08\x96\x01"

PROFILE = """
[profiles.smoke]
service_executions = {executions}
load_seconds = {load_seconds}
probe_seconds = {probe_seconds}
"""


def timed(*options: str) -> list[str]:
    return [sys.executable, str(SERVICES / "timed.py"), "--port", "{port}", *options]


def sized(size_bytes: int) -> list[str]:
    return [sys.executable, str(SERVICES / "sized.py"), "{port}", "{host}", str(size_bytes)]


def multiplexed(*lie: str) -> list[str]:
    return [sys.executable, str(SERVICES / "multiplexed.py"), "{port}", *lie]


def faulty(fault: str) -> list[str]:
    return [sys.executable, str(SERVICES / "faulty.py"), fault, "{port}"]


def reading(*host: str) -> list[str]:
    return [sys.executable, str(SERVICES / "reading.py"), "{port}", *host]


def collecting() -> list[str]:
    return [sys.executable, str(SERVICES / "collecting.py"), "{port}", "{host}"]


def spending(on: str) -> list[str]:
    return [sys.executable, str(SERVICES / "spending.py"), "{port}", on]


@dataclass
class Serving:
    """Writes one experiment; `own` and `serve` give its tables, a line a key."""

    lab: Lab
    text: str = ""

    def own(self, name: str, **keys: Any) -> None:
        self.text += f"\n[services.{name}]\n" + _lines(keys)

    def serve(self, services: Sequence[str], **keys: Any) -> None:
        """At 100 requests a second over four connections, where the keys do not say otherwise."""
        traffic = str(self.traffic(b"hello"))
        usual = {"rate": 100, "connections": 4, "arrivals": "constant", "traffic": traffic}
        self.text += "\n[[serve]]\n" + _lines({"services": list(services), **usual, **keys})

    def traffic(self, body: bytes) -> Path:
        """A request that has to be answered by this body."""
        path = self.lab.scratch / f"{hashlib.sha256(body).hexdigest()[:8]}.jsonl"
        expected = {"status": 200, "body_sha256": hashlib.sha256(body).hexdigest()}
        path.write_text(json.dumps({"path": "/hello", "expect": expected}) + "\n")
        return path

    def calls(self) -> Path:
        """A gRPC call that has to be answered by its own message."""
        path = self.lab.scratch / "calls.jsonl"
        call = {
            "method": "POST",
            "path": "/shop.Shop/Echo",
            "body_base64": base64.b64encode(MESSAGE).decode(),
            "expect": {"status": 200, "body_sha256": hashlib.sha256(MESSAGE).hexdigest()},
        }
        path.write_text(json.dumps(call) + "\n")
        return path

    def experiment(
        self, *, load_seconds: float = 2, probe_seconds: float = 1, executions: int = 1
    ) -> str:
        profile = PROFILE.format(
            executions=executions, load_seconds=load_seconds, probe_seconds=probe_seconds
        )
        return self.lab.experiment(self.text + profile, "services")

    def records(self) -> dict[str, list[dict[str, Any]]]:
        """The executions of each service, in their order."""
        found: dict[str, list[dict[str, Any]]] = {}
        for one in self.lab.executions():
            found.setdefault(self._services()[one["cell"]], []).append(one)
        return found

    def load(self, execution: str, name: str = "operating-point") -> dict[str, Any]:
        """What the load generator wrote of one load."""
        path = self.lab.run_folder() / "raw" / execution / f"{name}.json"
        loaded: dict[str, Any] = json.loads(path.read_text())
        return loaded

    def latencies_ns(self, execution: str) -> npt.NDArray[np.int64]:
        """Of every good request of the operating point, in the order of the schedule. None is
        withheld here, as the generator's figures are where it was itself late."""
        folder = self.lab.run_folder() / "raw" / execution
        good = read_records(folder / "operating-point.records").of_kind("good")
        good = good[np.argsort(good["intended_ns"])]
        latencies: npt.NDArray[np.int64] = (good["done_ns"] - good["intended_ns"]).astype(np.int64)
        return latencies

    def _services(self) -> dict[str, str]:
        plan = json.loads((self.lab.run_folder() / "experiment.json").read_text())
        return {cell["id"]: cell["variant"] for cell in plan["cells"]}


def _lines(keys: Mapping[str, Any]) -> str:
    """TOML's strings, numbers, booleans and lists of them are written as JSON's."""
    return "".join(
        f"{key} = {_table(value) if isinstance(value, dict) else json.dumps(value)}\n"
        for key, value in keys.items()
    )


def _table(values: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in values.items()) + " }"
