"""The honest experiments whose runs are stored here: services, workloads, rates and traffic."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SERVICES = Path(__file__).parents[4] / "tests" / "services"
TIMED = SERVICES / "timed.py"

FOUND_RUNNING_PORT = 18_473
"""Where the service listens that an experiment finds running already."""


def order(services: list[str], rate: float, seconds: float, **keys: object) -> str:
    """Frameworks of ours, to each of which the database is 20 ms away: that its sessions are opened
    by the first twenty requests shows at p99 of so short a load."""
    return _served(
        {
            "benchmark": "payments",
            "workload": "order",
            "services": services,
            "rate": rate,
            "objective": "p90 < 100 ms",
            "pacing": "precise",
            "round_trip": "20 ms",
            **keys,
        },
        seconds,
    )


def timed(*options: str, rate: float, seconds: float, **keys: object) -> str:
    """The little server whose latencies are known by construction, as a command of the user's."""
    command = [sys.executable, str(TIMED), "--port", "{port}", *options]
    return _hello(rate, seconds, f"command = {json.dumps(command)}", **keys)


def found_running(rate: float, seconds: float) -> str:
    return _hello(rate, seconds, f'url = "http://127.0.0.1:{FOUND_RUNNING_PORT}"')


def programs(benchmarks: list[str], mode: str, variants: list[str], **keys: object) -> str:
    """Batch programs: a few hundred iterations of them where it is their steady state."""
    lines = {"benchmarks": benchmarks, "modes": [mode], "variants": variants, **keys}
    effort = {"size": "small", "executions": 6, "max_seconds": 3}
    return f"[[measure]]\n{_lines(lines)}\n[profiles.quick]\n{_lines(effort)}"


def write_traffic(folder: Path) -> None:
    """Fifty requests, and two thousand and a half at recorded times, bursts among them."""
    expected = {"status": 200, "body_sha256": hashlib.sha256(b"hello").hexdigest()}
    asked = [{"path": f"/hello/{number}", "expect": expected} for number in range(50)]
    _write(folder / "hello.jsonl", asked)
    # 4 ms apart on the average: of ten, five come within 5 ms.
    at_ms = [
        40 * (number // 10) + (number % 10 if number % 10 < 5 else 7 * (number % 10) - 28)
        for number in range(2500)
    ]
    recorded = [{**asked[number % 50], "at_ns": ms * 10**6} for number, ms in enumerate(at_ms)]
    _write(folder / "trace.jsonl", recorded)


def _hello(rate: float, seconds: float, service: str, **keys: object) -> str:
    traffic = "{traffic}/" + ("trace" if keys.get("arrivals") == "trace" else "hello") + ".jsonl"
    serve = {
        "services": ["hello"],
        "rate": rate,
        "objective": "p99 < 100 ms",
        "pacing": "precise",
        "traffic": traffic,
        **keys,
    }
    return f"{_served(serve, seconds)}\n[services.hello]\n{service}\n"


def _served(serve: Mapping[str, object], seconds: float) -> str:
    effort = {"service_executions": 6, "load_seconds": seconds}
    return f"[[serve]]\n{_lines(serve)}\n[profiles.quick]\n{_lines(effort)}"


def _lines(keys: Mapping[str, object]) -> str:
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())


def _write(path: Path, lines: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


# Long enough for the detector to see a steady state past a stall or two: over a thousand requests.
# Services answer in milliseconds, as they do in life: on a virtual machine how long it takes to
# wake somebody wanders by tens of microseconds, so that one which answers in a hundred is never
# steady there, and is told so. `{traffic}` is the folder that `write_traffic` wrote to.
EXPERIMENTS: dict[str, str] = {
    "order-fastify": order(["fastify"], 200, 12),
    "order-express": order(["express"], 200, 12, arrivals="constant"),
    "order-bun": order(["bun"], 200, 12),
    "order-fastapi": order(["fastapi"], 150, 16),
    "order-net-http-axum": order(["net-http", "axum"], 200, 12),
    "order-net-http": order(["net-http"], 200, 12, arrivals="constant"),
    "order-axum": order(["axum"], 200, 12, traffic_order="file"),
    "order-beast": order(["beast"], 200, 12, arrivals="constant", connections=20),
    "order-jdk": order(["jdk"], 200, 20),
    "order-vertx": order(["vertx"], 200, 20),
    "order-spring": order(["spring"], 200, 20, connections=100),
    "constant": timed("--each-ms", "20", rate=300, seconds=10),
    "bimodal": timed(
        *("--each-ms", "10", "--slow-ms", "60", "--slow-every", "10"), rate=300, seconds=10
    ),
    "pauses": timed("--each-ms", "10", "--pause-ms", "80", rate=300, seconds=12),
    "trace": timed(
        *("--each-ms", "5"),
        rate=250,
        seconds=10,
        objective="p90 < 100 ms",
        arrivals="trace",
        traffic_order="file",
    ),
    "found-running": found_running(300, 10),
    "sort-steady": programs(["sort"], "steady", ["gcc-12.2.0+o3", "go-1.26.8"]),
    "sudoku-steady": programs(["sudoku"], "steady", ["rust-1.95.0", "node-20.20.2"]),
    "sort-cold": programs(
        ["sort"], "cold", ["gcc-12.2.0+o3", "cpython-3.11.2", "temurin-25+g1-gc"]
    ),
    "sudoku-cold": programs(["sudoku"], "cold", ["go-1.26.8", "node-20.20.2"]),
}
