"""`[[serve]]` becomes cells: every service at its operating point; what is wrong is one line."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from experiment.plans import artefact, variant
from runfair.building.failure import BuildFailed, Unsupported
from runfair.catalogue.experiment import Experiment, read_experiment
from runfair.catalogue.profile import profile
from runfair.catalogue.program import ProgramSource
from runfair.catalogue.service import ServiceBenchmark, service_benchmarks
from runfair.catalogue.serving import Serve
from runfair.errors import UserMistake
from runfair.experiment import (
    planning,
    resolution,
    served_work,
    service_planning,
    service_variants,
)
from runfair.experiment.planning import resolve
from runfair.experiment.resolution import Request, Resolution
from runfair.experiment.service_planning import add_service_cells
from runfair.formats.plan import Cell, Plan
from runfair.formats.service import DatabaseUse, Objective, OperatingPoint
from runfair.formats.variant import Artefact, Variant
from runfair.machine.processors import Assignment

PAY = 'benchmark = "payments"\nservices = ["fastify"]\nrate = 500\n'


def known(name: str, family: str, language: str, version: str, **changes: Any) -> Variant:
    values: dict[str, Any] = {"family": family, "version": version, **changes}
    return variant(name, language).model_copy(update=values)


NODE = known("node-22.1.0", "node", "javascript", "22.1.0", default=True)
OLD_NODE = known("node-18.0.0", "node", "javascript", "18.0.0")
INTERPRETED = known("node-22.1.0+jitless", "node", "javascript", "22.1.0")
CPYTHON = known("cpython-3.12.0", "cpython", "python", "3.12.0")
NEWER = known("cpython-3.13.0", "cpython", "python", "3.13.0")
PYPY = known("pypy-3.11.0", "pypy", "python", "3.11.0", default=True, state="missing")
VARIANTS = [INTERPRETED, OLD_NODE, NODE, CPYTHON, NEWER, PYPY]


@pytest.fixture
def steps() -> list[str]:
    return []


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which all is built already, but under `--jitless`."""

    def build(asked: Variant, source: ProgramSource, training: Any) -> Artefact:
        assert not training
        if asked is INTERPRETED:
            raise Unsupported("it has no WebAssembly")
        return artefact().model_copy(update={"variant": asked.name, "program": source.name})

    def files(benchmark: ServiceBenchmark, size: str, seed: int) -> Path:
        folder = tmp_path / f"{benchmark.name}-{size}-{seed}"
        folder.mkdir(exist_ok=True)
        for workload in benchmark.text.workloads.values():
            (folder / workload.traffic).write_text("{}\n")
        for name in benchmark.text.inputs:
            (folder / name).write_text("{}\n")
        return folder

    families = {name: SimpleNamespace(default="", install=f"install {name}") for name in ("go",)}
    families |= {name: SimpleNamespace(default="", install="") for name in ("node", "cpython")}
    monkeypatch.setattr(planning, "variants", lambda: VARIANTS)
    monkeypatch.setattr(planning, "assign", lambda _: Assignment((0,), (1,), ""))
    monkeypatch.setattr(resolution, "build", build)
    monkeypatch.setattr(resolution, "launch_options", lambda *_, **__: ([], {}))
    monkeypatch.setattr(served_work, "service_files", files)
    monkeypatch.setattr(resolution, "generator", lambda: None)
    monkeypatch.setattr(service_planning, "relay", lambda: None)
    monkeypatch.setattr(
        service_variants, "discovered", lambda: (SimpleNamespace(families=families), None)
    )


def plan_of(folder: Path, text: str, steps: list[str] | None = None, **request: Any) -> Plan:
    """The plan of an experiment's file."""
    path = folder / "mine.toml"
    path.write_text(text)
    heard = steps if steps is not None else []
    return resolve(read_experiment(str(path)), Request("quick", **request), heard.append)


def serve(rest: str = PAY) -> str:
    return f'baseline = "javascript"\n[[serve]]\n{rest}'


def own(folder: Path, service: str, rest: str = "") -> str:
    traffic = folder / "shop.jsonl"
    traffic.write_text('{"method": "GET", "path": "/"}\n')
    return (
        'baseline = "mine"\n[[serve]]\nservices = ["mine"]\nrate = 50\n'
        f'traffic = "{traffic}"\n{rest}'
        f"[services.mine]\n{service}"
    )


def asked(cell: Cell) -> OperatingPoint:
    assert cell.service is not None
    return cell.service.point


def database_of(cell: Cell) -> DatabaseUse | None:
    assert cell.service is not None
    return cell.service.database


def test_a_service_at_its_operating_point(tmp_path: Path) -> None:
    rest = 'objective = "p99.9 < 25 ms"\ncurve = [100, 1000]\ncapacity = true\ntimeout = "2 s"\n'
    (cell,) = plan_of(tmp_path, serve(PAY + rest)).cells
    assert cell.id.startswith(f"payments/pay/small/service/500-per-s/1t/fastify/{NODE.name}/")
    assert (cell.mode, cell.tier, cell.variant, cell.suite) == (
        *("service", "fastify", NODE.name),
        "services",
    )
    point = asked(cell)
    assert (point.rate_per_s, point.arrivals, point.check_share) == (500, "poisson", 1.0)
    assert point.objective == Objective(percentile="p99_9", limit_ns=25_000_000)
    assert (point.curve_per_s, point.capacity, point.timeout_ns) == ([100, 1000], True, 2 * 10**9)
    assert point.traffic_sha256 == hashlib.sha256(b"{}\n").hexdigest()
    assert [Path(one).name for one in cell.inputs] == ["payments.json"]
    assert database_of(cell) is None


def test_what_is_built_is_built_before(tmp_path: Path, steps: list[str]) -> None:
    plan_of(tmp_path, serve(PAY + 'workload = "order"\n'), steps)
    assert [step for step in steps if step.startswith("build")] == [
        "build of the load generator",
        "build of the relay",
        f"build of fastify for {NODE.name}",
    ]


def test_the_database_is_private_unless_it_is_the_users(tmp_path: Path) -> None:
    order = PAY + 'workload = "order"\nround_trip = "2 ms"\n'
    (private,) = plan_of(tmp_path, serve(order)).cells
    database = database_of(private)
    assert database is not None
    assert (database.round_trip_ns, database.url) == (2_000_000, "")
    assert [(one.name, one.primary_key) for one in database.tables] == [("orders", ["id"])]
    (users,) = plan_of(tmp_path, serve(order + 'database = "postgresql://me@here/shop"\n')).cells
    theirs = database_of(users)
    assert theirs is not None
    assert (theirs.url, theirs.tables) == ("postgresql://me@here/shop", [])


@pytest.mark.parametrize(
    ("rest", "lab", "said"),
    [
        ('workload = "order"\n', (1,), ["load generator, relay and database share processor 1"]),
        (
            'workload = "order"\ndatabase = "postgresql://me@here/shop"\n',
            (1,),
            ["load generator and relay share processor 1"],
        ),
        ('workload = "order"\n', (1, 2), []),
        ("", (1,), []),
    ],
)
def test_who_has_to_share_a_processor_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rest: str,
    lab: tuple[int, ...],
    said: list[str],
) -> None:
    monkeypatch.setattr(planning, "assign", lambda _: Assignment((0,), lab, ""))
    assert plan_of(tmp_path, serve(PAY + rest)).limitations == said


@pytest.mark.parametrize("url", ["redis://here:7000/1", "tcp://here:9042"])
def test_ones_own_services_may_use_other_databases(tmp_path: Path, url: str) -> None:
    text = own(tmp_path, 'url = "http://127.0.0.1:9"\n', f'database = "{url}"\n')
    (cell,) = plan_of(tmp_path, text).cells
    theirs = database_of(cell)
    assert theirs is not None
    assert (theirs.url, theirs.round_trip_ns) == (url, 1_000_000)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://here", "payments order reads rows of a PostgreSQL: name one in `database`"),
        ("postgresql://here/shop", "names no user: write postgresql://USER"),
        ("postgresql://u@%2Frun%2Fpg/shop", "not a socket's folder"),
        ("postgresql://u@here/shop?sslmode=require", "leave sslmode out"),
        ("mysql://here/shop", "for any other, tcp://HOST:PORT"),
    ],
)
def test_a_database_that_cannot_be_relayed_is_told_before_anything_is_built(
    tmp_path: Path, steps: list[str], url: str, said: str
) -> None:
    text = serve(PAY + f'workload = "order"\ndatabase = "{url}"\n')
    with pytest.raises(UserMistake) as mistake:
        plan_of(tmp_path, text, steps)
    assert said in str(mistake.value)
    assert not [step for step in steps if step.startswith("build")]


def test_the_usual_variant_is_the_default_one(tmp_path: Path) -> None:
    """Of the framework's language where that is ready; of its first family the newest otherwise."""
    text = serve(PAY.replace('"fastify"', '"fastify", "fastapi"'))
    assert [cell.variant for cell in plan_of(tmp_path, text).cells] == [NODE.name, NEWER.name]


def test_a_runtime_that_is_not_here_is_a_cell_that_says_so(tmp_path: Path) -> None:
    text = serve(PAY.replace('"fastify"', '"fastify", "net-http"'))
    plan = plan_of(tmp_path, text)
    assert [cell.unsupported for cell in plan.cells] == ["", "go is missing: install go"]
    assert {one.cell for one in plan.executions} == {plan.cells[0].id}


def test_variants_asked_for_are_taken_where_the_framework_runs_on_them(tmp_path: Path) -> None:
    text = serve(PAY + f'variants = ["{NODE.name}", "{INTERPRETED.name}", "{CPYTHON.name}"]\n')
    cells = plan_of(tmp_path, text).cells
    assert {cell.variant: cell.unsupported for cell in cells} == {
        NODE.name: "",
        INTERPRETED.name: "it has no WebAssembly",
    }
    python = serve(PAY.replace("fastify", "fastapi"))
    (only,) = plan_of(tmp_path, python, runtimes=[CPYTHON.name]).cells
    assert only.variant == CPYTHON.name


def test_too_old_a_runtime_is_not_what_a_framework_runs_on(tmp_path: Path) -> None:
    with pytest.raises(UserMistake):
        plan_of(tmp_path, serve(PAY + f'variants = ["{OLD_NODE.name}"]\n'))


def test_only_what_is_asked_for_on_the_command_line(tmp_path: Path) -> None:
    assert len(plan_of(tmp_path, serve(), only=["payments"]).cells) == 1
    with pytest.raises(UserMistake, match="nothing to measure with this selection"):
        plan_of(tmp_path, serve(), only=["sort"])


def test_surroundings_are_crossed(tmp_path: Path) -> None:
    rest = 'threads = [1, 2]\ncpu_quota = [0.5]\nmemory_limit = ["256 MiB", "1 GiB"]\n'
    cells = plan_of(tmp_path, serve(PAY + rest)).cells
    factors = [(cell.threads, cell.factors.processors) for cell in cells]
    assert factors == [(1, 1), (1, 1), (2, 2), (2, 2)]
    assert {cell.factors.memory_limit_bytes for cell in cells} == {2**28, 2**30}
    assert {cell.factors.cpu_quota for cell in cells} == {0.5}
    assert len({cell.id for cell in cells}) == 4


def test_instances_are_a_factor(tmp_path: Path) -> None:
    cells = plan_of(tmp_path, serve(PAY + "instances = [1, 2]\nthreads = [1, 2]\n")).cells
    assert [(cell.threads, cell.factors.instances, cell.factors.processors) for cell in cells] == [
        (1, 1, 1),
        (1, 2, 2),
        (2, 1, 2),
        (2, 2, 4),
    ]
    for cell in cells:
        assert cell.service is not None
        assert cell.service.instances == cell.factors.instances
    assert len({cell.group for cell in cells}) == 4
    assert "/instances=2/" in cells[1].id
    # A cell of one has the name that it always had.
    assert plan_of(tmp_path, serve()).cells[0].id == cells[0].id
    (few,) = plan_of(tmp_path, serve(PAY + "instances = [3]\nprocessors = [1]\n")).cells
    assert few.factors.processors == 1


def test_a_service_of_ones_own_may_have_others_and_is_compared(tmp_path: Path) -> None:
    two = 'command = ["true", "{port}"]\ninstances = 2\n[services.other]\ncommand = ["true"]\n'
    text = own(tmp_path, two).replace('["mine"]', '["mine", "other"]')
    mine, other = plan_of(tmp_path, text).cells
    assert mine.service is not None
    assert other.service is not None
    assert (mine.service.instances, other.service.instances) == (2, 1)
    assert mine.group == other.group


def test_several_that_run_already(tmp_path: Path) -> None:
    service = 'urls = ["http://127.0.0.1:9", "http://127.0.0.1:10"]\n'
    for rest in ("", "instances = [2]\n"):
        (cell,) = plan_of(tmp_path, own(tmp_path, service, rest)).cells
        assert cell.service is not None
        assert (cell.service.kind, cell.service.instances) == ("url", 2)
        assert cell.service.urls == ["http://127.0.0.1:9", "http://127.0.0.1:10"]
        assert cell.service.url == "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("service", "rest", "said"),
    [
        ('command = ["true"]\ninstances = 2\n', "", "each of 2 instances needs a port of its own"),
        (
            'command = ["true", "{port}"]\nport = 80\n',
            "instances = [2]\n",
            "each of 2 instances needs a port of its own",
        ),
        (
            'urls = ["http://h:1", "http://h:2"]\n',
            "instances = [3]\n",
            "it has 2 by itself, and its [[serve]] says [3]",
        ),
        (
            'command = ["true", "{port}"]\n',
            "instances = [4]\nconnections = 3\n",
            "4 instances cannot share 3 connections",
        ),
    ],
)
def test_instances_that_cannot_be_had_are_one_line(
    service: str, rest: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(UserMistake) as mistake:
        plan_of(tmp_path, own(tmp_path, service, rest))
    assert str(mistake.value).startswith(f"[services.mine]: {said}")
    assert "\n" not in str(mistake.value)


@pytest.mark.parametrize(
    "rest",
    [
        'objective = "p99 < 30 ms"',
        "connections = 51",
        'arrivals = "constant"',
        "seed = 2",
        'timeout = "9 s"',
        "check_share = 0.5",
        'traffic_order = "file"',
    ],
)
def test_two_operating_points_are_two_cells(rest: str, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, f"{serve()}\n[[serve]]\n{PAY}{rest}\n")
    assert len(plan.cells) == 2
    assert len({cell.id for cell in plan.cells}) == 2
    assert len(plan_of(tmp_path, f"{serve()}\n[[serve]]\n{PAY}").cells) == 1


def test_files_of_requests_of_one_name_are_two(tmp_path: Path) -> None:
    text = own(tmp_path, 'url = "http://127.0.0.1:1"\n')
    other = tmp_path / "other" / "shop.jsonl"
    other.parent.mkdir()
    other.write_text('{"path": "/"}\n')
    second = f'[[serve]]\nservices = ["mine"]\nrate = 50\ntraffic = "{other}"\n'
    cells = plan_of(tmp_path, f"{text}{second}").cells
    assert {asked(cell).traffic for cell in cells} == {str(other), str(tmp_path / "shop.jsonl")}


def test_a_command_of_ones_own(tmp_path: Path) -> None:
    program = tmp_path / "server"
    program.write_text("#!/bin/sh\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    service = (
        f'command = ["./server", "--port", "{{port}}"]\ndirectory = "{tmp_path}"\n'
        'ready = "/health"\nready_within = "5 s"\nstop = "SIGINT"\nlanguage = "go"\n'
        'environment = { MODE = "production" }\n'
    )
    plan = plan_of(tmp_path, own(tmp_path, service))
    (cell,) = plan.cells
    assert (cell.benchmark, cell.workload, cell.size) == ("shop", "traffic", "as-given")
    assert (cell.tier, cell.variant, cell.language) == ("own", "mine", "go")
    assert cell.artefact.command == [str(program), "--port", "{port}"]
    assert cell.artefact.sha256 == hashlib.sha256(b"#!/bin/sh\n").hexdigest()
    assert cell.artefact.environment == {"MODE": "production"}
    assert cell.service is not None
    assert (cell.service.kind, cell.service.stop_signal) == ("command", "SIGINT")
    assert cell.service.ready.path == "/health"
    assert cell.service.ready.timeout_ns == 5 * 10**9
    assert [one.name for one in plan.variants] == ["mine"]


def test_one_that_runs_already(tmp_path: Path) -> None:
    (cell,) = plan_of(tmp_path, own(tmp_path, 'url = "http://127.0.0.1:9"\n')).cells
    assert cell.service is not None
    assert (cell.service.kind, cell.service.url) == ("url", "http://127.0.0.1:9")
    assert cell.artefact.command == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PAY.replace("payments", "payment"), "no service benchmark is named 'payment'; there are:"),
        (PAY.replace("fastify", "fastly"), "no service of payments is named 'fastly'; there are:"),
        (PAY + 'workload = "pays"\n', "no workload of payments is named 'pays'; there are: pay"),
        (PAY + 'variants = ["perl"]\n', "perl"),
        (PAY + 'traffic = "/no/such.jsonl"\n', "no such traffic file; `./runfair traffic CAPTURE"),
        ('services = ["mine"]\nrate = 5\n', "without a `benchmark` needs `traffic`: a file of"),
    ],
)
def test_what_is_named_wrongly_is_one_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserMistake) as mistake:
        plan_of(tmp_path, serve(text))
    assert said in str(mistake.value)
    assert "\n" not in str(mistake.value)


@pytest.mark.parametrize(
    ("service", "said"),
    [
        ('command = ["no-such-program"]\n', "command: 'no-such-program' is no program"),
        (
            'command = ["./server"]\n',
            "command: './server' is no program that can be started: correct its name, or give its",
        ),
        (
            'command = ["true"]\ndirectory = "/no/such"\n',
            "directory: /no/such is no folder: name one that is there",
        ),
    ],
)
def test_a_command_that_cannot_be_started_is_told_now(
    service: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(UserMistake) as mistake:
        plan_of(tmp_path, own(tmp_path, service))
    assert str(mistake.value).startswith(f"[services.mine]: {said}")


@pytest.mark.parametrize(
    "line",
    ['{"path": "/"', '{"pth": "/"}', '["/"]', '{"path": "/", "headers": 5}', '{"path": "/é"}'],
)
def test_a_line_that_is_no_request_is_told_before_anything_is_measured(
    line: str, tmp_path: Path
) -> None:
    """The last one is none in an encoding that is not UTF-8."""
    text = own(tmp_path, 'url = "http://127.0.0.1:9"\n')
    with (tmp_path / "shop.jsonl").open("a", encoding="latin-1") as traffic:
        traffic.write(f'{{"path": "/${{id}}"}}\n{line}\n')
    with pytest.raises(UserMistake, match=r"shop\.jsonl:3: no request of a traffic file") as caught:
        plan_of(tmp_path, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("word", ["--db={database}", "{database_port}"])
def test_one_that_asks_for_a_database_is_given_one_or_told(word: str, tmp_path: Path) -> None:
    service = f'command = ["true", "{word}"]\n'
    with pytest.raises(UserMistake, match=r"asks for \{database\}, and its .* names none: write"):
        plan_of(tmp_path, own(tmp_path, service))
    assert plan_of(tmp_path, own(tmp_path, service, 'database = "tcp://here:1"\n')).cells


def test_ones_own_service_that_is_not_described(tmp_path: Path) -> None:
    text = own(tmp_path, 'url = "http://127.0.0.1:9"\n').replace('["mine"]', '["mime"]')
    with pytest.raises(UserMistake, match="no service is named 'mime'; there are: mine"):
        plan_of(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (serve(PAY.replace("500", "0")), "serve.0.rate: "),
        (serve(PAY.replace("500", "inf")), "serve.0.rate: "),
        (serve(PAY.replace('["fastify"]', "[]")), "serve.0.services: "),
        (serve(PAY + 'objective = "fast"\n'), "serve.0.objective: 'fast' is not an objective"),
        (serve(PAY + "check_share = 0\n"), "serve.0.check_share: "),
        (serve(PAY + 'round_trip = "fast"\n'), "serve.0.round_trip: 'fast' is not a length"),
        (serve(PAY + "[services.x]\n"), "services.x: needs either a `command` to start, or"),
        (serve(PAY + '[services."../x"]\nurl = "http://h"\n'), "'../x' is no name: letters"),
        (serve(PAY + '[services.x]\nurl = "ftp://h"\n'), "'ftp://h' does not begin with http"),
        (serve(PAY + "instances = [0]\n"), "serve.0.instances.0: "),
        (
            serve(PAY + '[services.x]\nurls = ["http://h", "http://h"]\n'),
            "urls: each instance once",
        ),
        (serve(PAY + '[services.x]\nurls = ["http://h", "https://h"]\n'), "all http or all https"),
        (
            serve(PAY + '[services.x]\nurl = "http://h"\ninstances = 2\n'),
            "instances: 1 are found by their URLs",
        ),
        (serve(PAY + "speed = 1\n"), "serve.0.speed: "),
    ],
)
def test_a_bad_file_is_told_with_its_line(text: str, key: str, tmp_path: Path) -> None:
    with pytest.raises(UserMistake) as mistake:
        plan_of(tmp_path, text)
    assert str(mistake.value).startswith(f"{tmp_path / 'mine.toml'}:")
    assert key in str(mistake.value)
    assert "\n" not in str(mistake.value)


@pytest.mark.parametrize(
    ("room", "missing"),
    [(resolution, "generator"), (service_planning, "relay"), (service_planning, "find_binaries")],
)
def test_what_only_services_need_stops_no_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: ModuleType, missing: str
) -> None:
    """No Rust, or no PostgreSQL: the services cannot run here, and the rest is measured."""

    def lacking() -> None:
        raise UserMistake(f"{missing} is not to be had")

    monkeypatch.setattr(room, missing, lacking)
    text = (
        '[[serve]]\nbenchmark = "payments"\nworkload = "order"\nservices = ["fastify"]\nrate = 9\n'
    )
    experiment = tmp_path / "lacking.toml"
    experiment.write_text(text)
    with pytest.raises(UserMistake, match=f"can run here: .*{missing} is not to be had"):
        resolve(read_experiment(str(experiment)), Request("quick"), lambda _: None)


@pytest.mark.parametrize("builds_must_work", [False, True])
def test_a_framework_that_cannot_be_built(
    monkeypatch: pytest.MonkeyPatch, builds_must_work: bool
) -> None:
    """A run goes on without it; where every build has to work, as in `verify`, it is a failure."""

    def build(*_: Any, **__: Any) -> Artefact:
        raise BuildFailed("npm failed with status 1")

    monkeypatch.setattr(resolution, "build", build)
    known_services = service_benchmarks()
    request, smoke = Request("smoke"), profile("smoke", None)
    found = Resolution(
        *(smoke, {}, known_services, VARIANTS, request, lambda _: None),
        builds_must_work=builds_must_work,
    )
    asked_for = Serve(benchmark="payments", services=["fastify"], rate=1)
    if builds_must_work:
        with pytest.raises(BuildFailed, match="npm failed"):
            add_service_cells(found, Experiment(serve=[asked_for]), asked_for)
    else:
        add_service_cells(found, Experiment(serve=[asked_for]), asked_for)
        (cell,) = found.cells.values()
        assert cell.unsupported == "npm failed with status 1"
