"""`[[serve]]` becomes cells: every service at its operating point; what is wrong is one line."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from experiment.service_plans import (
    CPYTHON,
    INTERPRETED,
    NEWER,
    NODE,
    OLD_NODE,
    PAY,
    VARIANTS,
    asked,
    database_of,
    known,
    plan_of,
    serve,
)
from runfair.building.failure import BuildFailed, BuildHindered
from runfair.catalogue.experiment import Experiment, Serve, read_experiment
from runfair.catalogue.profile import profile
from runfair.catalogue.service import service_benchmarks
from runfair.errors import UserMistake
from runfair.experiment import (
    plan_draft,
    planning,
    served_work,
    service_planning,
)
from runfair.experiment.plan_draft import PlanDraft, Request
from runfair.experiment.planning import resolve
from runfair.experiment.service_planning import add_service_cells
from runfair.formats.plan import Cell
from runfair.formats.service import FailureLimit, Objective
from runfair.formats.variant import Artefact
from runfair.machine.processors import Assignment

pytestmark = pytest.mark.usefixtures("service_machine")


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


def test_the_round_trip_may_be_that_of_the_network(tmp_path: Path) -> None:
    order = PAY + 'workload = "order"\nround_trip = "network"\n'
    (cell,) = plan_of(tmp_path, serve(order)).cells
    database = database_of(cell)
    assert database is not None
    assert (database.round_trip_ns, database.of_network) == (0, True)
    assert database.distance == "round trip to the database of the network"


@pytest.mark.parametrize(
    ("rest", "lab", "said"),
    [
        (
            'workload = "order"\n',
            (1,),
            [
                "the load generator, the relay (the proxy before the database) and the database "
                "share processor 1, so each may delay the others"
            ],
        ),
        (
            'workload = "order"\ndatabase = "postgresql://me@here/shop"\n',
            (1,),
            [
                "the load generator and the relay (the proxy before the database) share processor "
                "1, so each may delay the others"
            ],
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
    monkeypatch.setattr(planning, "assign", lambda *_: Assignment((0,), lab, ""))
    assert plan_of(tmp_path, serve(PAY + rest)).limitations == said


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://here", "payments order needs a PostgreSQL database; state the URL"),
        ("postgresql://here/shop", "names no user; write postgresql://USER"),
        ("postgresql://u@%2Frun%2Fpg/shop", "instead of the folder of a socket"),
        ("postgresql://u@here/shop?sslmode=require", "leave sslmode out"),
        ("mysql://here/shop", "tcp://HOST:PORT for any other"),
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
    assert [cell.unsupported for cell in plan.cells] == [
        "",
        "not installed: install go",
    ]
    assert {one.cell for one in plan.executions} == {plan.cells[0].id}


def test_variants_asked_for_are_taken_where_the_framework_runs_on_them(tmp_path: Path) -> None:
    text = serve(PAY + f'variants = ["{NODE.name}", "{INTERPRETED.name}", "{CPYTHON.name}"]\n')
    cells = plan_of(tmp_path, text).cells
    assert {cell.variant: cell.unsupported for cell in cells} == {
        NODE.name: "",
        INTERPRETED.name: "the fastify program needs a variant with the setting jit = true",
    }
    python = serve(PAY.replace("fastify", "fastapi"))
    (only,) = plan_of(tmp_path, python, runtimes=[CPYTHON.name]).cells
    assert only.variant == CPYTHON.name


def test_a_variant_that_lacks_what_a_program_needs_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = known("node-23.0.0", "node", "javascript", "23.0.0", lacks=["jit"])
    monkeypatch.setattr(planning, "variants", lambda: [*VARIANTS, small])
    text = serve(PAY + f'variants = ["{NODE.name}", "{small.name}"]\n')
    reasons = {cell.variant: cell.unsupported for cell in plan_of(tmp_path, text).cells}
    assert reasons == {
        NODE.name: "",
        small.name: "the fastify program needs a variant with the setting jit = true",
    }


def test_a_framework_runs_on_a_runtime_of_the_users_own_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = known("mine-23.0.0", "mine", "javascript", "23.0.0", kin="node")
    monkeypatch.setattr(planning, "variants", lambda: [*VARIANTS, mine])
    (cell,) = plan_of(tmp_path, serve(PAY + f'variants = ["{mine.name}"]\n')).cells
    assert (cell.variant, cell.unsupported) == (mine.name, "")
    # It is also the usual one if all others are too old.
    families = {"mine": SimpleNamespace(default="", install="")}
    found = (SimpleNamespace(families=families), None)
    monkeypatch.setattr(service_planning, "recently_discovered", lambda: found)
    monkeypatch.setattr(planning, "variants", lambda: [OLD_NODE, mine])
    (cell,) = plan_of(tmp_path, serve()).cells
    assert (cell.variant, cell.unsupported) == (mine.name, "")


def test_a_missing_traffic_file_is_named_with_the_folder_that_was_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserMistake) as mistake:
        plan_of(tmp_path, serve(PAY + 'traffic = "shop.jsonl"\n'))
    assert f"{tmp_path}/shop.jsonl: this traffic file does not exist" in str(mistake.value)


def test_too_old_a_runtime_is_not_what_a_framework_runs_on(tmp_path: Path) -> None:
    with pytest.raises(UserMistake):
        plan_of(tmp_path, serve(PAY + f'variants = ["{OLD_NODE.name}"]\n'))


def test_only_what_is_asked_for_on_the_command_line(tmp_path: Path) -> None:
    assert len(plan_of(tmp_path, serve(), only=["payments"]).cells) == 1
    with pytest.raises(UserMistake, match="nothing of this experiment is left to measure"):
        plan_of(tmp_path, serve(), only=["sort"])


def test_surroundings_are_crossed(tmp_path: Path) -> None:
    rest = 'threads = [1, 2]\ncpu_quota = [0.5]\nmemory_limit = ["256 MiB", "1 GiB"]\n'
    cells = plan_of(tmp_path, serve(PAY + rest)).cells
    factors = [(cell.threads, cell.factors.processors) for cell in cells]
    assert factors == [(1, 1), (1, 1), (2, 2), (2, 2)]
    assert {cell.factors.memory_limit_bytes for cell in cells} == {2**28, 2**30}
    assert {cell.factors.cpu_quota for cell in cells} == {0.5}
    assert len({cell.id for cell in cells}) == 4


def test_the_number_of_hosts_is_a_factor(tmp_path: Path) -> None:
    text = serve(PAY + "instances = [1, 2]\n")
    one, two = plan_of(tmp_path, text, service_hosts=2).cells
    assert [(each.factors.hosts, each.factors.instances) for each in (one, two)] == [(2, 1), (2, 2)]
    # The processors are those of each host, and the instances those of all.
    assert [each.factors.processors for each in (one, two)] == [1, 2]
    assert [each.service and each.service.instances for each in (one, two)] == [2, 4]
    assert "/hosts=2/" in one.id
    assert "/instances=2/hosts=2/" in two.id


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
        "max_connections = 60",
        "new_connection_every = 100",
    ],
)
def test_two_operating_points_are_two_cells(rest: str, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, f"{serve()}\n[[serve]]\n{PAY}{rest}\n")
    assert len(plan.cells) == 2
    assert len({cell.id for cell in plan.cells}) == 2
    assert len(plan_of(tmp_path, f"{serve()}\n[[serve]]\n{PAY}").cells) == 1


def test_a_cell_of_two_tables_is_probed_if_one_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_work, "can_be_probed", lambda *_: True)
    probed = PAY + "probe = true\n"
    for tables in (f"{serve()}\n[[serve]]\n{probed}", f"{serve(probed)}\n[[serve]]\n{PAY}"):
        (cell,) = plan_of(tmp_path, tables).cells
        assert cell.probe


def test_requirements_are_planned_and_change_no_name(tmp_path: Path) -> None:
    required = PAY + 'require = ["p99 < 25 ms", "failed < 0.1%"]\n'
    (cell,) = plan_of(tmp_path, serve(required)).cells
    objective = Objective(percentile="p99", limit_ns=25_000_000)
    assert asked(cell).require == [objective, FailureLimit(failed_share=0.001)]
    (without,) = plan_of(tmp_path, serve()).cells
    assert (cell.id, cell.group) == (without.id, without.group)
    with pytest.raises(UserMistake, match="write the same `require` in both"):
        plan_of(tmp_path, f"{serve()}\n[[serve]]\n{required}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PAY.replace("payments", "payment"), "no service benchmark is named 'payment'; choose"),
        (PAY.replace("fastify", "fastly"), "no service of payments is named 'fastly'; choose from"),
        (PAY + 'workload = "pays"\n', "no workload of payments is named 'pays'; choose from pay"),
        (PAY + 'variants = ["perl"]\n', "perl"),
        (
            PAY + 'traffic = "/no/such.jsonl"\n',
            "this traffic file does not exist; `./runfair",
        ),
        (
            'services = ["mine"]\nrate = 5\n',
            ("without a `benchmark` needs `traffic`, the name of a file of"),
        ),
    ],
)
def test_what_is_named_wrongly_is_one_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserMistake) as mistake:
        plan_of(tmp_path, serve(text))
    assert said in str(mistake.value)
    assert "\n" not in str(mistake.value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (serve(PAY.replace("500", "0")), "serve.0.rate: "),
        (serve(PAY.replace("500", "inf")), "serve.0.rate: "),
        (serve(PAY.replace('["fastify"]', "[]")), "serve.0.services: "),
        (serve(PAY + 'objective = "fast"\n'), "serve.0.objective: 'fast' is not an objective"),
        (serve(PAY + "check_share = 0\n"), "serve.0.check_share: "),
        (serve(PAY + 'round_trip = "fast"\n'), "serve.0.round_trip: 'fast' is not a length"),
        (
            serve(PAY + "[services.x]\n"),
            ("services.x: a service needs exactly one of `command`"),
        ),
        (
            serve(PAY + '[services."../x"]\nurl = "http://h"\n'),
            "'../x' is not a valid name; use",
        ),
        (serve(PAY + '[services.x]\nurl = "ftp://h"\n'), "'ftp://h' does not begin with http"),
        (serve(PAY + "instances = [0]\n"), "serve.0.instances.0: "),
        (
            serve(PAY + '[services.x]\nurls = ["http://h", "http://h"]\n'),
            "`urls` contains the same URL twice",
        ),
        (
            serve(PAY + '[services.x]\nurls = ["http://h", "https://h"]\n'),
            "`urls` mixes http and https",
        ),
        (
            serve(PAY + '[services.x]\nurl = "http://h"\ninstances = 2\n'),
            "`urls` already determines the number of instances (1)",
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
    [(plan_draft, "generator"), (service_planning, "relay"), (service_planning, "find_binaries")],
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
    with pytest.raises(UserMistake, match=f"can run on this machine: .*{missing} is not to be had"):
        resolve(read_experiment(str(experiment)), Request("quick"), lambda _: None)


@pytest.mark.parametrize(
    ("room", "missing"), [(plan_draft, "generator"), (service_planning, "relay")]
)
def test_a_load_generator_or_relay_that_failed_to_build_for_a_passing_reason(
    monkeypatch: pytest.MonkeyPatch, room: ModuleType, missing: str
) -> None:
    def hindered() -> None:
        raise BuildHindered("it could not be built: no such host", "no such host")

    monkeypatch.setattr(plan_draft, "generator", lambda: None)
    monkeypatch.setattr(room, missing, hindered)
    cells = planned(builds_must_work=False, workload="order")
    assert [cell.absent for cell in cells] == ["failed to build: no such host"]


def test_a_framework_whose_registry_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(*_: Any, **__: Any) -> Artefact:
        raise BuildHindered("npm could not build it: ECONNREFUSED", "ECONNREFUSED")

    monkeypatch.setattr(plan_draft, "build", build)
    (cell,) = planned(builds_must_work=False)
    assert cell.absent == "failed to build: ECONNREFUSED"
    with pytest.raises(BuildHindered):
        planned(builds_must_work=True)


def planned(builds_must_work: bool, workload: str = "default") -> list[Cell]:
    """The cells of one service."""
    request, smoke = Request("smoke"), profile("smoke", None)
    found = PlanDraft(
        *(smoke, {}, service_benchmarks(), VARIANTS, request, lambda _: None),
        builds_must_work=builds_must_work,
    )
    asked_for = Serve(benchmark="payments", workload=workload, services=["fastify"], rate=1)
    add_service_cells(found, Experiment(serve=[asked_for]), asked_for)
    return list(found.cells.values())


@pytest.mark.parametrize("builds_must_work", [False, True])
def test_a_framework_that_cannot_be_built(
    monkeypatch: pytest.MonkeyPatch, builds_must_work: bool
) -> None:
    """A run goes on without it; where every build has to work, as in `verify`, it is a failure."""

    def build(*_: Any, **__: Any) -> Artefact:
        raise BuildFailed("npm failed with status 1")

    monkeypatch.setattr(plan_draft, "build", build)
    if builds_must_work:
        with pytest.raises(BuildFailed, match="npm failed"):
            planned(builds_must_work)
    else:
        (cell,) = planned(builds_must_work)
        assert cell.unsupported == "npm failed with status 1"
