"""A run whose service is in another place: a network namespace with another clock."""

from __future__ import annotations

import ipaddress
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from laboratory import Lab, wait_until
from processes import descendants
from runfair.errors import UserMistake
from runfair.formats.event import read_events
from runfair.serving.postgresql_server import find_binaries
from served_experiment import LAB, Serving, collecting, reading

HOUR_S = 3600
UNCERTAINTY_NS = 2_000_000
REST_S = 0.25  # of `services/collecting.py`, between two collections
NEEDED = ("ip", "nsenter", "unshare")


@dataclass(frozen=True)
class Namespace:
    """`launcher` starts a command in it."""

    launcher: list[str]
    ours: str
    theirs: str

    def tables(self, offset_s: int) -> str:
        """It and the lab's own place, in an experiment's file."""
        clock = f"{{ offset_ns = {offset_s * 10**9}, uncertainty_ns = {UNCERTAINTY_NS} }}"
        return (
            f'\n[places.local]\naddress = "{self.ours}"\n'
            f"\n[places.beyond]\nlauncher = {json.dumps(self.launcher)}\n"
            f'address = "{self.theirs}"\nclock = {clock}\n'
        )


def _addresses() -> tuple[str, str]:
    """Two addresses of a network that no other test process uses: a test that was killed leaves
    its network behind. RFC 2544: 198.18.0.0/15 is for measurements and never routed.
    """
    network = ipaddress.ip_address("198.18.0.0") + 4 * (os.getpid() % 2**15)
    return str(network + 1), str(network + 2)


def _call(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no second place can be made here: {done.stderr.strip() or command}")


@pytest.fixture
def beyond() -> Iterator[Namespace]:
    """A network of its own, and a CLOCK_MONOTONIC that is an hour ahead. All of it goes away,
    however the test ends."""
    missing = [one for one in NEEDED if shutil.which(one) is None]
    if os.geteuid() != 0 or missing:
        pytest.skip(f"a second place needs root and {', '.join(missing or NEEDED)}")
    name = f"runfair-{os.getpid()}"
    ours, theirs = _addresses()
    inner, outer = f"rfi{os.getpid()}", f"rfo{os.getpid()}"
    with ExitStack() as stack:
        _call("ip", "netns", "add", name)
        stack.callback(subprocess.run, ["ip", "netns", "delete", name], check=False)
        _call("ip", "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name)
        stack.callback(
            subprocess.run, ["ip", "link", "delete", outer], check=False, capture_output=True
        )
        _call("ip", "address", "add", f"{ours}/30", "dev", outer)
        _call("ip", "link", "set", outer, "up")
        _call("ip", "-n", name, "address", "add", f"{theirs}/30", "dev", inner)
        _call("ip", "-n", name, "link", "set", inner, "up")
        _call("ip", "-n", name, "link", "set", "lo", "up")
        # The time namespace is held by a process that does nothing.
        holder = subprocess.Popen(
            [
                "unshare",
                "--time",
                f"--monotonic={HOUR_S}",
                "--fork",
                "--kill-child",
                "sleep",
                "900",
            ],
            stderr=subprocess.DEVNULL,
        )
        stack.callback(holder.wait)
        stack.callback(holder.kill)
        wait_until(lambda: bool(descendants(holder.pid)) or holder.poll() is not None, 20)
        if holder.poll() is not None:
            pytest.skip("no second place can be made here: the kernel has no time namespaces")
        (sleeping,) = descendants(holder.pid)
        times = f"--time=/proc/{sleeping}/ns/time"
        yield Namespace(["nsenter", f"--net=/run/netns/{name}", times, "--"], ours, theirs)


def _cells(lab: Lab, path: str) -> dict[str, dict[str, Any]]:
    done = lab.measured("run", path, "--profile", "smoke", "--json")
    return {one["variant"]: one for one in json.loads(done.stdout)["cells"]}


@pytest.mark.alone
def test_events_of_another_clock_are_laid_against_requests_by_its_offset(
    lab: Lab, serving: Serving, beyond: Namespace
) -> None:
    serving.text += beyond.tables(HOUR_S)
    serving.own("there", command=collecting())
    serving.own("here", command=collecting())
    serving.serve(["there"], place="beyond")
    serving.serve(["here"])
    cells = _cells(lab, serving.experiment(load_seconds=4))

    records = {name: one for name, (one,) in serving.records().items()}
    clock = {"offset_ns": HOUR_S * 10**9, "uncertainty_ns": UNCERTAINTY_NS}
    assert records["there"]["place"] == {"name": "beyond", "clock": clock}
    assert records["here"]["place"]["name"] == "local"
    assert beyond.theirs in records["there"]["served"]["address"]
    for name, one in records.items():
        assert one["outcome"] == {"state": "completed", "reason": ""}, name
        (load,) = [each for each in one["served"]["loads"] if each["purpose"] == "operating_point"]
        assert load["place"]["name"] == "local"
        began_ns = load["started_monotonic_ns"] + (HOUR_S * 10**9 if name == "there" else 0)
        events = list(read_events(lab.run_folder() / "events" / f"{one['id']}.jsonl"))
        # The clock in there truly is another one. On a slow machine the collections are fewer, and
        # longer: with the rests between them, they fill the load.
        during = [each for each in events if 0 <= each.started_ns - began_ns < 4 * 10**9]
        filled_s = sum(each.duration_ns / 1e9 + REST_S for each in during)
        assert len(during) >= 2 and filled_s > 2, name

    here, there = (cells[name]["service"]["events"] for name in ("here", "there"))
    for seen in (here, there):
        assert seen["collections"] >= 2
        assert seen["tail_share"] is None or seen["tail_share"] > 0.5
    assert (here["clock_uncertainty_ns"], here["tail_share_range"]) == (0, None)
    assert there["clock_uncertainty_ns"] == UNCERTAINTY_NS
    if there["tail_share"] is not None:
        least, most = there["tail_share_range"]
        assert least <= there["tail_share"] <= most
    for name, said in (("here", False), ("there", True)):
        findings = cells[name]["figures"]["p50"]["findings"]
        told = [one["text"] for one in findings if one["check"] == "clock_offset"]
        assert any("known only to ±2 ms" in text for text in told) == said
    page = (lab.run_folder() / "report.html").read_text()
    assert "The events and the requests were timed by the clocks of two hosts" in page


@pytest.mark.alone
def test_a_wrong_offset_shows_no_event_at_all(
    lab: Lab, serving: Serving, beyond: Namespace
) -> None:
    """The liar of the test above: what it sees comes from the offset."""
    serving.text += beyond.tables(0)
    serving.own("there", command=collecting())
    serving.serve(["there"], place="beyond")
    seen = _cells(lab, serving.experiment())["there"]["service"]["events"]
    assert seen["collections"] == 0


@pytest.mark.alone
def test_a_service_elsewhere_reaches_its_database_through_the_relay(
    lab: Lab, serving: Serving, beyond: Namespace
) -> None:
    try:
        find_binaries()
    except UserMistake as missing:
        pytest.skip(str(missing))
    serving.text += beyond.tables(HOUR_S)
    serving.own("reading", command=reading("{host}"), environment={"PYTHONPATH": str(LAB)})
    serving.serve(["reading"], place="beyond", benchmark="payments", workload="order")
    _cells(lab, serving.experiment())
    ((one,),) = serving.records().values()
    assert one["outcome"] == {"state": "completed", "reason": ""}
    assert one["served"]["relay"]["name"] == "local"
    (load,) = one["served"]["loads"]
    assert load["good"] == load["scheduled"]
    relay = json.loads((lab.run_folder() / "raw" / one["id"] / "relay.json").read_text())
    assert relay["listen"].startswith(f"{beyond.ours}:")
    assert relay["queries"]["answered"] >= load["good"]


def test_a_place_that_nobody_declared_is_named(lab: Lab, serving: Serving) -> None:
    serving.own("one", command=collecting())
    serving.serve(["one"], place="beyond")
    assert "the experiment has no table [places.beyond]" in lab.refuses("run", serving.experiment())


def test_the_lab_s_own_place_has_an_address_and_nothing_else(lab: Lab, serving: Serving) -> None:
    serving.text += '\n[places.local]\nlauncher = ["nice"]\n'
    serving.own("one", command=collecting())
    serving.serve(["one"])
    line = lab.refuses("run", serving.experiment())
    assert "[places.local] describes the host on which runfair itself runs, so" in line


def test_a_database_behind_loopback_is_out_of_reach(lab: Lab, serving: Serving) -> None:
    serving.text += '\n[places.beyond]\nlauncher = ["nice"]\n'
    serving.own("one", command=collecting())
    serving.serve(["one"], place="beyond", database="tcp://127.0.0.1:9")
    line = lab.refuses("run", serving.experiment())
    assert "a service in [places.beyond] cannot reach the relay of its database" in line
