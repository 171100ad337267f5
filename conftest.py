"""What tests of all rooms need: the built launcher, load generator and relay, a server to send to,
and the fixtures of the end-to-end tests."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from laboratory import Lab
from loading.server import Server
from loading.server import serving as serving_loads
from runfair.building.crate import Crate, rust_for
from runfair.errors import UserMistake
from runfair.loading import generator
from runfair.machine import native
from runfair.machine.launching import Launcher
from runfair.serving import relay
from served_experiment import Serving

# Machines are shared: how long an example takes says nothing of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Who starts the tests in the background of a shell ignores SIGINT, and so would every program that
# they start: an ignored signal stays ignored through exec.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "measuring: runs the lab, so one at a time")
    config.addinivalue_line(
        "markers", "alone: asserts times, or what belongs to the whole machine, so runs alone"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What has a lab runs one at a time; the rest of the tests may run side by side."""
    for item in items:
        if isinstance(item, pytest.Function) and "lab" in item.fixturenames:
            item.add_marker("measuring")


@pytest.fixture(autouse=True)
def affinity() -> Iterator[None]:
    """An execution pins the lab, here the tests themselves, beside what it measures; what comes
    after it has all processors again."""
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)


def built(crate: Crate) -> Path:
    """The executable, built where the lab itself builds it; skips where no Rust is new enough."""
    try:
        rust_for(crate.name, crate.minimum_rust())
    except UserMistake as missing:
        pytest.skip(str(missing))
    return crate.executable()


@pytest.fixture(scope="session")
def launcher() -> Launcher:
    return Launcher(native.build_native(native.LAUNCHER))


@pytest.fixture(scope="session")
def load_generator() -> Path:
    return built(generator.crate())


@pytest.fixture(scope="session")
def relay_executable() -> Path:
    return built(relay.crate())


@pytest.fixture
def server() -> Iterator[Server]:
    """A server to send loads to."""
    with serving_loads() as running:
        yield running


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture
def serving(lab: Lab) -> Serving:
    return Serving(lab)


@pytest.fixture
def background() -> Iterator[Callable[[subprocess.Popen[str]], subprocess.Popen[str]]]:
    """Processes that are ended with their test, however it ends."""
    started: list[subprocess.Popen[str]] = []

    def keep(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
        started.append(process)
        return process

    yield keep
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()
