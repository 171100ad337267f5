"""A load that the load generators of several hosts send together. Each generator sends its share of
one schedule, and all generators start at the same instant. A shared load is used like the load of a
single generator, and its files describe the union of all shares."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType

from runfair.errors import UserMistake
from runfair.fleet.union import Share, Union
from runfair.formats.interval_log import write_intervals
from runfair.formats.kept_file import write_whole
from runfair.formats.load_result import LoadResult, read_result
from runfair.formats.place import HERE, Location
from runfair.formats.records_file import read_records, write_records
from runfair.loading.generator import (
    WRITING_LIMIT_S,
    GeneratorLost,
    LoadFiles,
    Progress,
    Session,
    StandardError,
    start,
)
from runfair.loading.load import NS_PER_S, Load
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launch, LauncherLost
from runfair.machine.place import Place, PlaceClock, watched
from runfair.serving.place_host import PlaceHost

# The time in which all generators must have started and opened their connections.
AHEAD_NS = 5 * NS_PER_S
# The longest start of a load. The clocks are measured before it.
STARTING_S = 30.0
HAS_RESULT = frozenset({0, 3})
# Far generators print their progress to standard error, which their launcher passes on.
PASSED_ON = ("sh", "-c", 'exec "$@" 2>&1 >"$0"')
READ_BYTES = 1 << 16


@dataclass
class FarGenerator:
    """A running load generator on another host. `progress` is its last known progress."""

    place: Place
    clock: PlaceClock
    launch: Launch
    files: LoadFiles
    start_ns: int
    progress: Progress | None = None
    error: StandardError = field(default_factory=StandardError)

    @property
    def host(self) -> str:
        return self.place.declared.host or self.place.name

    def look(self, *, until_end: bool = False) -> None:
        """Reads what the generator has printed so far, or until its end."""
        output_fd, limit_s = self.launch.output_fd, None if until_end else 0.0
        while output_fd is not None and select.select([output_fd], [], [], limit_s)[0]:
            if not (data := os.read(output_fd, READ_BYTES)):
                return
            for progress in self.error.add(data):
                self.progress = progress

    def wait(self) -> None:
        """Waits for the generator's end. Raises GeneratorLost if the generator has no result."""
        self.look(until_end=True)
        try:
            outcome = self.launch.wait().outcome
        except LauncherLost as lost:
            raise GeneratorLost(f"{self.host}: {lost}") from None
        if outcome.exit_status not in HAS_RESULT:
            said = [*self.error.complaints, "it printed no error message"][0]
            raise GeneratorLost(f"{self.host}: the load generator wrote no result: {said}")

    def share(self) -> Share:
        """What the generator reports, after its end."""
        return _share(self.host, self.clock.location, self.start_ns, self.files)


@dataclass(frozen=True)
class SharedGenerators:
    """The load generators of several hosts: the generator on this host, and the generators in the
    `places`. If a place is on another host, `hosts` has the lab's helper program on that host."""

    host: str
    places: Sequence[Place]
    hosts: Sequence[PlaceHost | None]

    def start(self, executable: Path, load: Load, files: LoadFiles) -> SharedLoad:
        """Starts a load on all hosts. Raises UserMistake if the load cannot be started."""
        own, *others = load.shares(1 + len(self.places))
        with ExitStack() as stack:
            clocks = [stack.enter_context(watched(place)) for place in self.places]
            start_ns = time.monotonic_ns() + AHEAD_NS
            far = []
            for number, (place, clock, share) in enumerate(
                zip(self.places, clocks, others, strict=True), 2
            ):
                begin_ns = clock.location.clock.from_lab(start_ns)
                processors = self._processors(number, load)
                asked = replace(share, start_at_ns=begin_ns, processors=processors)
                its_files = _files_of(files, number)
                launch = stack.enter_context(_launched(place, executable, asked, its_files))
                far.append(FarGenerator(place, clock, launch, its_files, begin_ns))
            asked = replace(own, start_at_ns=start_ns)
            session = stack.enter_context(start(executable, asked, _files_of(files, 1)))
            return SharedLoad(self.host, session, far, files, start_ns, stack.pop_all())

    def _processors(self, number: int, load: Load) -> tuple[int, ...]:
        """The processors of a generator. A generator on another host gets processors of that
        host."""
        host = self.hosts[number - 2]
        if host is None or not load.processors:
            return load.processors
        return tuple(host.assign(len(load.processors)).measured)


class SharedLoad:
    """A running load of several hosts, used like `Session`. Used as a context manager, a shared
    load leaves no process behind."""

    def __init__(
        self,
        host: str,
        own: Session,
        far: Sequence[FarGenerator],
        files: LoadFiles,
        start_ns: int,
        stack: ExitStack,
    ) -> None:
        self.files = files
        self._host = host
        self._own = own
        self._far = far
        self._start_ns = start_ns
        self._stack = stack

    def __iter__(self) -> Iterator[Progress]:
        """Yields the progress of all hosts together, whenever the generator on this host reports
        its own."""
        for progress in self._own:
            if progress.elapsed_ns < (progress.horizon_ns or 0) and self._lost():
                self.interrupt()
            for one in self._far:
                one.look()
                one.clock.look()
            known = [one.progress for one in self._far if one.progress is not None]
            yield Progress.together([progress, *known])

    def interrupt(self) -> None:
        """Asks all generators to end now and to write what they have measured."""
        for one in self._far:
            one.launch.ask_end()
        self._own.interrupt()

    def result(self) -> LoadResult:
        """Waits for the end of the load, writes the files of the union, and returns its result.

        Raises UserMistake if the load could not be carried out as asked. Raises GeneratorLost if a
        generator ended without a result. Both errors name the host.
        """
        try:
            self._own.result()
        except UserMistake as mistake:
            raise UserMistake(f"{self._host}: {mistake}") from None
        except GeneratorLost as lost:
            raise GeneratorLost(f"{self._host}: {lost}") from None
        for one in self._far:
            one.wait()
        # The clocks are measured once more. Their offset then holds for the whole load.
        self._stack.close()
        own = _share(self._host, HERE, self._start_ns, _files_of(self.files, 1))
        union = Union([own, *(one.share() for one in self._far)])
        return _written(union, self.files)

    def __enter__(self) -> SharedLoad:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._stack:
            self.interrupt()
            for one in self._far:
                with suppress(GeneratorLost):
                    one.wait()

    def _lost(self) -> bool:
        return any(one.launch.ended() for one in self._far)


def _launched(place: Place, executable: Path, load: Load, files: LoadFiles) -> Launch:
    """The generator on the host of a place. Old files of the same names are removed first."""
    for old in (files.result, files.records):
        if old is not None:
            old.unlink(missing_ok=True)
    return place.launcher.start(
        [
            *(*PASSED_ON, files.table, executable, "--progress=json"),
            *(*files.arguments(), *load.arguments()),
        ],
        report=files.result.with_suffix(".launch.json"),
        environment=clean_environment(),
        directory=files.result.parent,
        processors=(),
        # After SIGTERM the generator waits for open answers and writes its files.
        grace_s=load.timeout_ns / 1e9 + WRITING_LIMIT_S,
        counted=False,
    )


def _files_of(files: LoadFiles, number: int) -> LoadFiles:
    """The files of one generator, beside the files of the union. The union is computed from the
    records of all generators."""
    stem = f"{files.result.stem}.generator-{number}"

    def path(kind: str) -> Path:
        return files.result.with_name(f"{stem}.{kind}")

    return LoadFiles(result=path("json"), table=path("txt"), records=path("records"))


def _share(host: str, place: Location, start_ns: int, files: LoadFiles) -> Share:
    assert files.records is not None
    return Share(host, place, start_ns, read_result(files.result), read_records(files.records))


def _written(union: Union, files: LoadFiles) -> LoadResult:
    """The result of the union, after its files are written."""
    result = union.result
    named = {
        name: None if path is None else str(path)
        for name, path in (("hlog", files.hlog), ("records", files.records))
    }
    kept = result.files.model_copy(update={**named, "hgrm": None})
    result = result.model_copy(update={"files": kept})
    if files.hlog is not None:
        started_ns = result.started.realtime_ns
        write_intervals(files.hlog, started_ns, result.interval_ns, union.quantities)
    if files.records is not None:
        write_records(files.records, union.first.records.header, union.rows)
    tables = [
        f"{share.host}\n{_files_of(files, number).table.read_text()}"
        for number, share in enumerate(union.shares, 1)
    ]
    write_whole(files.table, "\n".join(tables))
    shares = union.hosts.model_dump_json(indent=1)
    write_whole(files.result.with_suffix(".shares.json"), shares + "\n")
    write_whole(files.result, result.model_dump_json(indent=1) + "\n")
    return result
