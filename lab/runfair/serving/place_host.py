"""The host of another place, as the lab uses it: the client of `host_agent`, which runs there."""

from __future__ import annotations

import json
import select
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from runfair.errors import UserMistake
from runfair.formats.host import Processor
from runfair.formats.plan import Plan
from runfair.formats.service import DatabaseUse
from runfair.machine.launching import Launcher
from runfair.machine.perf_counters import SystemCalls
from runfair.machine.place import Place, PlaceClock
from runfair.machine.processors import Assignment, Topology, assign
from runfair.paths import REPOSITORY, private_folder
from runfair.serving.link import Counters, JointFigures, LinkFigures
from runfair.serving.process_accounting import TreeUsage
from runfair.serving.relay import RelayLost

# The longest answer waits until a database has started and loaded its tables.
ANSWER_LIMIT_S = 300.0
ENDING_LIMIT_S = 30.0
COMPLAINT_LIMIT_S = 5.0


class PlaceHost:
    """The lab's program on the host of a place. It is started when it is first asked."""

    def __init__(self, place: Place, folder: Path) -> None:
        self.place = place
        self._folder = folder
        self._complaints: list[str] = []
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None

    @property
    def named(self) -> str:
        """The host and its place, for messages."""
        return f"{self.place.declared.host} ({self.place.name})"

    def assign(self, wanted: int) -> Assignment:
        """As `Place.assign`, from the topology of the place's own host."""
        told = self._ask("topology")
        machine = Topology(
            processors=tuple(Processor.model_validate(one) for one in told["processors"]),
            allowed=frozenset(told["allowed"]),
            slow=frozenset(told["slow"]),
        )
        if self.place.declared.processors:
            allowed = machine.allowed & frozenset(self.place.declared.processors)
            machine = replace(machine, allowed=allowed)
        try:
            return assign(wanted, machine)
        except UserMistake as mistake:
            raise UserMistake(f"{self.named}: {mistake}") from None

    def tree(self, report: Path, clock: PlaceClock) -> RemoteTree | None:
        """The process tree below the launcher that writes this report; None if there is no such
        launcher. `clock` is the place's."""
        number = self._ask("tree", report=str(report))
        return None if number is None else RemoteTree(self, number, clock)

    def look(self, tree: int, *, memory: bool) -> TreeUsage:
        """The use of a tree. Its instant is on the place's clock."""
        return TreeUsage(**self._ask("look", tree=tree, memory=memory))

    def count_calls(self, tree: int) -> None:
        """Starts counting the system calls of a tree. Raises OSError if the kernel of the place's
        host does not permit it."""
        self._ask("count_calls", tree=tree)

    def counted_calls(self, tree: int) -> SystemCalls:
        return SystemCalls(**self._ask("counted_calls", tree=tree))

    def end_counting(self, tree: int) -> None:
        self._ask("end_counting", tree=tree)

    def signal(self, report: Path, number: int) -> None:
        """Sends a signal to the program of the launcher that writes this report."""
        self._ask("signal", report=str(report), number=number)

    def empty_page_cache(self) -> None:
        self._ask("empty_cache")

    @contextmanager
    def relayed(
        self, use: DatabaseUse, raw: Path, address: str, clock: PlaceClock
    ) -> Iterator[RemoteDatabase]:
        """As `Databases.relayed`, on all processors of the place's host."""
        told = self._ask("relayed", use=use.model_dump_json(), raw=str(raw), address=address)
        trees = {name: RemoteTree(self, one, clock) for name, one in told["trees"].items()}
        try:
            yield RemoteDatabase(self, told["url"], told["shown_url"], told["version"], trees)
        finally:
            self._ask("release")

    def restarted(self) -> bool:
        return bool(self._ask("restarted"))

    def listen(self) -> int:
        """The port of a listener on the place's address."""
        return int(self._ask("listen", address=self.place.declared.address))

    def link_to(self, address: str, port: int) -> LinkFigures:
        """The link from the place's host to a listener. Raises OSError if it cannot be reached."""
        return LinkFigures(**self._ask("link", address=address, port=port))

    def joint_with(self, listeners: Sequence[tuple[str, int]]) -> JointFigures:
        """The bandwidth of the place's host with all these listeners at the same time."""
        return JointFigures(**self._ask("joint", listeners=listeners))

    def counters(self) -> Counters:
        return Counters(**self._ask("counters"))

    def offloads(self) -> list[str] | None:
        """The offloads that are on, of the device with the place's address; None if unknown."""
        told = self._ask("offloads", address=self.place.declared.address)
        return None if told is None else [*map(str, told)]

    def close(self) -> None:
        """Ends the program there and everything that it started."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(ENDING_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._reader is not None:
            self._reader.join(COMPLAINT_LIMIT_S)
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()
        self._process = None

    def _ask(self, request: str, **values: Any) -> Any:
        line = self._answer(json.dumps({"request": request, **values}) + "\n")
        told = json.loads(line)
        if "lost" in told:
            raise RelayLost(told["lost"])
        if "mistake" in told:
            raise UserMistake(f"{self.named}: {told['mistake']}")
        if "error" in told:
            raise OSError(told["error"])
        return told["value"]

    def _answer(self, request: str) -> str:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        line = ""
        with suppress(BrokenPipeError):
            process.stdin.write(request)
            process.stdin.flush()
            # An answer is a single line, so no part of it is left in the buffer.
            if not select.select([process.stdout], [], [], ANSWER_LIMIT_S)[0]:
                process.kill()
                raise UserMistake(f"{self.named} did not answer within {ANSWER_LIMIT_S:.0f} s")
            line = process.stdout.readline()
        if not line:
            process.wait()
            raise UserMistake(
                f"{self.named}: runfair's helper program on this host ended: {self._last_line()}"
            )
        return line

    def _last_line(self) -> str:
        """The last line that the program, or the launcher of the place, wrote to standard error."""
        if self._reader is not None:
            self._reader.join(COMPLAINT_LIMIT_S)
        said = [line for line in self._complaints if line.strip()]
        return said[-1].strip() if said else "no message"

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            settings = [f"PYTHONPATH={REPOSITORY / 'lab'}", f"RUNFAIR_PRIVATE={private_folder()}"]
            module = ["-P", "-X", "utf8", "-m", "runfair.serving.host_agent"]
            program = [sys.executable, *module, str(self._folder)]
            command = [*self.place.launcher.prefix, "env", *settings, *program]
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    errors="replace",
                    process_group=0,
                )
            except OSError as error:
                raise UserMistake(
                    f"{self.named}: {command[0]} cannot be started: {error.strerror}"
                ) from None
            assert self._process.stderr is not None
            self._reader = threading.Thread(
                target=self._complaints.extend, args=(self._process.stderr,), daemon=True
            )
            self._reader.start()
        return self._process


@dataclass(frozen=True)
class RemoteCallCounters:
    """Running counters of the system calls of a tree on the host of another place."""

    host: PlaceHost
    tree: int

    def read(self) -> SystemCalls:
        return self.host.counted_calls(self.tree)

    def close(self) -> None:
        self.host.end_counting(self.tree)


@dataclass(frozen=True)
class RemoteTree:
    """A process tree on the host of another place, read like `TreeAccounting`. The instants of its
    samples are converted from the place's clock to the lab's."""

    host: PlaceHost
    number: int
    clock: PlaceClock

    def threads(self) -> list[int]:
        """Raises OSError: the kernel counts events of threads only for programs on their host."""
        raise OSError("events of the kernel cannot be counted for threads on another host")

    def count_calls(self) -> RemoteCallCounters:
        """As `TreeAccounting.count_calls`."""
        self.host.count_calls(self.number)
        return RemoteCallCounters(self.host, self.number)

    def look(self, *, memory: bool = True) -> TreeUsage:
        seen = self.host.look(self.number, memory=memory)
        to_lab = self.clock.location.clock.to_lab
        return replace(seen, monotonic_ns=to_lab(seen.monotonic_ns))


@dataclass(frozen=True)
class RemoteDatabase:
    """A database and its relay on the host of another place, used like `RelayedDatabase`."""

    host: PlaceHost
    url: str
    shown_url: str
    version: str
    processes: dict[str, RemoteTree] = field(default_factory=dict)

    def trees(self) -> dict[str, RemoteTree]:
        return self.processes

    def restarted(self) -> bool:
        return self.host.restarted()


@dataclass
class PlaceHosts:
    """The hosts of a run's places, each with one program of the lab. Used as a context manager, it
    ends these programs."""

    launcher: Launcher
    plan: Plan
    folder: Path
    _hosts: dict[str, PlaceHost] = field(default_factory=dict)

    def of(self, place: Place) -> PlaceHost | None:
        """The host of a place; None if the place is on the lab's own host."""
        if not place.declared.host:
            return None
        return self._hosts.setdefault(place.name, PlaceHost(place, self.folder))

    def __enter__(self) -> PlaceHosts:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for host in self._hosts.values():
            host.close()
