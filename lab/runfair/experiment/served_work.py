"""The work of the services of a `[[serve]]`: requests, inputs, database, operating point."""

from __future__ import annotations

import hashlib
import itertools
import math
from dataclasses import dataclass
from pathlib import Path

from runfair.building.checksum import sha256_of
from runfair.building.inputs import service_files
from runfair.catalogue.amount import (
    OF_NETWORK,
    parse_length,
    parse_objective,
    parse_requirement,
)
from runfair.catalogue.benchmark import unknown
from runfair.catalogue.experiment import Serve
from runfair.catalogue.service import ServiceBenchmark, ServiceText
from runfair.errors import UserMistake
from runfair.experiment.plan_draft import PlanDraft, factor_names
from runfair.experiment.work import Crossing, Prepared
from runfair.formats.plan import Cell
from runfair.formats.service import DatabaseTable, DatabaseUse, OperatingPoint, ServicePoint
from runfair.formats.variant import Variant
from runfair.loading.traffic import Feed, takes_values
from runfair.probing.adapter import can_be_probed
from runfair.serving.database_address import PlainAddress
from runfair.serving.databases import require_relayed
from runfair.serving.measurement import COUNTING_S
from runfair.serving.request import CheckedRequest

ALL = "all"
# Fields that a cell's name already contains, or that do not belong to the operating point.
_NAMED = {
    *("benchmark", "workload", "size", "services", "variants", "threads", "processors"),
    "instances",
    *("cpu_quota", "memory_limit", "heap", "place", "profiles", "probe", "require"),
}
# A cell's name contains these fields only if they are stated, so that runs recorded before these
# fields existed can be compared with later runs.
_IF_STATED = {
    *("protocol", "streams", "max_connections", "new_connection_every", "feed", "feed_order"),
}
# A random number of arrivals exceeds its mean by more than six standard deviations once in a
# billion loads.
DEVIATIONS = 6.0


@dataclass(frozen=True)
class ServedWork:
    """The work that all services of a `[[serve]]` share. `name` and `workload` come from the
    benchmark or from the user's traffic."""

    serve: Serve
    name: str
    workload: str
    size: str
    benchmark: ServiceBenchmark | None
    files: Path | None
    traffic: Path

    @classmethod
    def of(cls, draft: PlanDraft, serve: Serve) -> ServedWork:
        """The work of a `[[serve]]`. Requests and inputs are generated if they are missing. Raises
        UserMistake if something that the `[[serve]]` names does not exist."""
        if not serve.benchmark:
            traffic = _traffic(serve)
            _check_feed(draft, serve, traffic)
            size = serve.size or "as-given"
            return cls(serve, traffic.stem, "traffic", size, None, None, traffic)
        known = draft.known_services
        if serve.benchmark not in known:
            raise unknown("service benchmark", serve.benchmark, known)
        benchmark = known[serve.benchmark]
        default = benchmark.text.default_workload
        workload = default if serve.workload == "default" else serve.workload
        text = benchmark.workload(workload)
        size = serve.size or draft.profile.size
        draft.on_step(f"requests of {benchmark.name} {workload} {size}")
        files = service_files(benchmark, size, serve.seed)
        if serve.traffic:
            traffic = _traffic(serve)
            _check_feed(draft, serve, traffic)
        elif serve.protocol == "grpc" and not text.calls:
            raise UserMistake(
                f"the workload {workload} of {benchmark.name} has no gRPC calls; choose another "
                "`protocol`, or a workload with gRPC calls "
                f"({', '.join(with_calls(benchmark.text)) or 'this benchmark has none'})"
            )
        else:
            traffic = files / (text.calls if serve.protocol == "grpc" else text.traffic)
        return cls(serve, benchmark.name, workload, size, benchmark, files, traffic)

    @property
    def services(self) -> list[str]:
        """The names of the services, without duplicates. `all` stands for every framework of the
        benchmark."""
        every = [] if self.benchmark is None else list(self.benchmark.frameworks)
        chosen = [every if name == ALL and every else [name] for name in self.serve.services]
        return list(dict.fromkeys(itertools.chain(*chosen)))

    @property
    def inputs(self) -> list[str]:
        """The paths of the input files that a program of the lab gets."""
        if self.benchmark is None or self.files is None:
            return []
        return [str(self.files / name) for name in self.benchmark.text.inputs]

    @property
    def database(self) -> DatabaseUse | None:
        """The database of the services; None if they need no database. Raises UserMistake if the
        URL does not name a database, or if the relay does not support the database."""
        of_network = self.serve.round_trip == OF_NETWORK
        round_trip_ns = 0 if of_network else parse_length(self.serve.round_trip)
        if self.serve.database:
            address = require_relayed(self.serve.database)
            if self.benchmark is not None and isinstance(address, PlainAddress):
                raise UserMistake(
                    f"{self.name} {self.workload} needs a PostgreSQL database; state the URL of "
                    "one in `database`, or leave `database` out, and runfair starts a private "
                    "PostgreSQL"
                )
            return DatabaseUse(
                round_trip_ns=round_trip_ns, of_network=of_network, url=self.serve.database
            )
        if self.benchmark is None or self.files is None:
            return None
        if not self.benchmark.workload(self.workload).database:
            return None
        tables = [
            DatabaseTable(
                name=one.name,
                columns=one.columns,
                primary_key=one.primary_key,
                rows=str(self.files / one.rows),
            )
            for one in self.benchmark.text.tables
        ]
        return DatabaseUse(round_trip_ns=round_trip_ns, of_network=of_network, tables=tables)

    @property
    def point(self) -> OperatingPoint:
        serve = self.serve
        return OperatingPoint(
            rate_per_s=serve.rate,
            objective=parse_objective(serve.objective) if serve.objective else None,
            require=[parse_requirement(one) for one in serve.require],
            arrivals=serve.arrivals,
            connections=serve.connections,
            pacing=serve.pacing,
            traffic=str(self.traffic),
            traffic_sha256=sha256_of(self.traffic),
            traffic_order="file" if serve.arrivals == "trace" else serve.traffic_order,
            check_share=serve.check_share,
            timeout_ns=parse_length(serve.timeout),
            protocol=serve.protocol,
            streams=serve.streams,
            max_connections=serve.max_connections,
            new_connection_every=serve.new_connection_every,
            feed=str(Path(serve.feed).absolute()) if serve.feed else "",
            feed_sha256=sha256_of(Path(serve.feed)) if serve.feed else "",
            feed_order=serve.feed_order,
            curve_per_s=serve.curve,
            capacity=serve.capacity,
        )

    def cell(
        self,
        crossing: Crossing,
        variant: Variant,
        prepared: Prepared,
        service: ServicePoint,
        *,
        suite: str,
        tier: str,
    ) -> Cell:
        """The cell of a service on a variant, under the conditions of the crossing."""
        return Cell(
            id=self._cell_id(crossing, tier, variant.name),
            suite=suite,
            benchmark=self.name,
            workload=self.workload,
            size=self.size,
            tier=tier,
            mode=crossing.mode,
            threads=crossing.threads,
            variant=variant.name,
            language=variant.language,
            factors=crossing.factors,
            parameters={} if self.benchmark is None else dict(self.benchmark.text.parameters),
            inputs=list(prepared.inputs),
            seed=self.serve.seed,
            artefact=prepared.artefact,
            unsupported=prepared.unsupported,
            failed_to_build=prepared.failed_to_build,
            declared_absent=prepared.declared_absent,
            service=service,
            probe=self.serve.probe and can_be_probed(crossing.factors.place, variant, service),
        )

    def _cell_id(self, crossing: Crossing, tier: str, variant: str) -> str:
        rate, threads = f"{self.serve.rate:g}-per-s", f"{crossing.threads}t"
        parts = [self.name, self.workload, self.size, crossing.mode, rate, threads, tier, variant]
        parts += factor_names(crossing.factors, crossing.threads)
        # The texts that distinguish operating points with the same rate.
        fields = Serve.model_fields
        usual = {name for name in _IF_STATED if getattr(self.serve, name) == fields[name].default}
        rest = self.serve.model_dump_json(exclude=_NAMED | usual)
        parts.append(hashlib.sha256(rest.encode()).hexdigest()[:6])
        return "/".join(parts)


def _traffic(serve: Serve) -> Path:
    if not serve.traffic:
        raise UserMistake(
            "a [[serve]] table without a `benchmark` needs `traffic`, the name of a file of "
            "requests; `./runfair traffic CAPTURE --to FILE` makes such a file"
        )
    path = Path(serve.traffic).absolute()
    if not path.is_file():
        raise UserMistake(
            f"{path}: this traffic file does not exist; `./runfair traffic CAPTURE --to FILE` "
            "makes a traffic file"
        )
    CheckedRequest.check(path)
    return path


def _check_feed(draft: PlanDraft, serve: Serve, traffic: Path) -> None:
    """Raises UserMistake if the requests take values that no feed can give them."""
    if serve.feed:
        Feed(Path(serve.feed), serve.feed_order).check(traffic, _most_requests(draft, serve))
    elif takes_values(traffic):
        raise UserMistake(
            f"{traffic} contains ${{feed:NAME}}, but the experiment names no file of values; name "
            "the file in `feed`"
        )


def _most_requests(draft: PlanDraft, serve: Serve) -> int:
    """The greatest number of requests of one of the loads; each load begins with the first row."""
    effort = draft.profile.effort
    means = [serve.rate * max(effort.load_seconds, COUNTING_S)]
    means += [rate * effort.probe_seconds for rate in serve.curve]
    more = DEVIATIONS if serve.arrivals == "poisson" else 0.0
    return math.ceil(max(mean + more * math.sqrt(mean) for mean in means))


def with_calls(text: ServiceText) -> list[str]:
    """The workloads of a service that also exist as gRPC calls."""
    return [name for name, workload in text.workloads.items() if workload.calls]
