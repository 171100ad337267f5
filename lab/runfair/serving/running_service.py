"""A running service with all its instances. The instances are started side by side and ended
together; the service is ready when all of them are ready."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType

from runfair.formats.launch import LaunchReport
from runfair.formats.plan import Cell
from runfair.formats.program import Start
from runfair.formats.service import ColdStart, Hosting
from runfair.serving.address import Address, free_ports
from runfair.serving.instance import Instance, ServiceFailed, Surroundings
from runfair.serving.request import CheckedRequest


def instance_folders(raw: Path, count: int) -> list[Path]:
    """The folder of each instance's files. A single instance uses the execution's own folder."""
    return [raw] if count == 1 else [raw / f"instance-{number}" for number in range(1, count + 1)]


class RunningService:
    """The instances of a service, as many as its cell states. Each instance has its own folder and
    address.

    Used as a context manager, it leaves none of the started processes behind. If there are several
    instances, an error names the instance that failed, and `complained` is the folder of that
    instance's files. `report`, `cold` and the other properties combine all instances, in the form
    that a single instance has.
    """

    def __init__(
        self, cell: Cell, surroundings: Sequence[Surroundings], question: CheckedRequest | None
    ) -> None:
        self.cell = cell
        self.surroundings = surroundings
        self.hosting: Hosting = cell.hosting
        addresses = _addresses(self.hosting, [around.address for around in surroundings])
        self.instances = [
            Instance(cell, around, question, address=address)
            for around, address in zip(surroundings, addresses, strict=True)
        ]
        self.complained = surroundings[0].raw
        self._folders = [around.raw for around in surroundings]

    @property
    def addresses(self) -> list[Address]:
        return [one.address for one in self.instances]

    @property
    def root_pids(self) -> list[int]:
        """The root process of each instance; empty if this user cannot see one of them."""
        found = [pid for one in self.instances if (pid := one.root_pid) is not None]
        return found if len(found) == len(self.instances) else []

    @property
    def command(self) -> list[str]:
        """The first instance's command. The commands of the other instances differ from it in their
        ports."""
        return self.instances[0].command

    @property
    def start_line(self) -> Start | None:
        """The start line of the first instance. The start lines of the other instances are the
        same."""
        return self.instances[0].start_line

    @property
    def report(self) -> LaunchReport | None:
        reports = [one.report for one in self.instances if one.report is not None]
        return LaunchReport.together(reports) if reports else None

    @property
    def cold(self) -> ColdStart | None:
        """The time from the start of the first process until all instances are ready, and until all
        answer.
        """
        colds = [one.cold for one in self.instances if one.cold is not None]
        if not colds:
            return None
        all_begun = len(colds) == len(self.instances)
        return ColdStart(
            process_ns=min(one.process_ns for one in colds),
            ready_ns=_last(one.ready_ns for one in colds) if all_begun else None,
            first_answer_ns=_last(one.first_answer_ns for one in colds) if all_begun else None,
        )

    @property
    def ignored_stop(self) -> bool:
        return any(one.ignored_stop for one in self.instances)

    def __enter__(self) -> RunningService:
        try:
            for number, one in enumerate(self.instances):
                with self._named(number):
                    one.begin()
            for number, one in enumerate(self.instances):
                with self._named(number):
                    one.wait_until_ready()
            self.require_alive()
        except ServiceFailed:
            self._end()
            raise
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def require_alive(self) -> None:
        """Raises ServiceFailed if an instance has ended, or if its output violates the contract."""
        for number, one in enumerate(self.instances):
            with self._named(number):
                one.require_alive()

    def stop(self) -> None:
        """Asks all instances to end, then waits for each."""
        for one in self.instances:
            one.ask_end()
        for one in self.instances:
            one.stop()

    def bad_end(self) -> str:
        """The reason why the end of an instance counts as a failure although the lab requested the
        end. Empty if the end is not a failure.
        """
        for number, one in enumerate(self.instances):
            bad = one.bad_end()
            if bad:
                return self._of(number, bad)
        return ""

    @contextmanager
    def _named(self, number: int) -> Iterator[None]:
        try:
            yield
        except ServiceFailed as failed:
            raise ServiceFailed(self._of(number, str(failed))) from None

    def _of(self, number: int, complaint: str) -> str:
        self.complained = self._folders[number]
        if len(self.instances) == 1:
            return complaint
        host = self.surroundings[number].host
        where = "" if host is None else f" on {host.place.declared.host}"
        return f"instance {number + 1} of {len(self.instances)}{where}: {complaint}"

    def _end(self) -> None:
        with ExitStack() as stack:
            for one in self.instances:
                stack.callback(one.end)
            self.stop()

    def _close(self) -> None:
        with ExitStack() as stack:
            for one in self.instances:
                stack.callback(one.close)


def _addresses(hosting: Hosting, hosts: Sequence[str]) -> list[Address | None]:
    """The address of each instance. None if a single instance chooses its own."""
    if hosting.urls:
        return [Address.of(url) for url in hosting.urls]
    if len(hosts) == 1:
        return [None]
    if hosting.kind == "program":
        return [Address(host, 0) for host in hosts]
    return [Address(*one) for one in zip(hosts, free_ports(len(hosts)), strict=True)]


def _last(instants: Iterator[int | None]) -> int | None:
    """The latest of the instants; None if one of them is missing."""
    told = list(instants)
    return None if None in told else max(instant for instant in told if instant is not None)
