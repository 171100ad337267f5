"""Each execution is examined with the calibration of its own host."""

from __future__ import annotations

from dataclasses import replace

from evidence.honest_run import GCC, cell_id, honest_run
from evidence.records import Records
from runfair.evidence.hosts import differing, noise_floor
from runfair.formats.host import Host

CELL = cell_id(GCC)


def host(name: str, floor: float, like: Host) -> Host:
    assert like.calibration is not None
    floors = {"noise_floor_wall": floor, "noise_floor_cpu": floor}
    calibration = like.calibration.model_copy(update=floors)
    return like.model_copy(update={"name": name, "calibration": calibration})


def over(run: Records, *hosts: Host) -> Records:
    """The blocks ran on the hosts in turn."""
    executions = tuple(
        one.model_copy(update={"host": hosts[one.block % len(hosts)].name})
        for one in run.executions
    )
    return replace(run, host=hosts[0], hosts=hosts, executions=executions)


def steps(run: Records) -> Records:
    """In the middle of each execution of a cell, its level rises by 3%."""

    def rise(series: tuple[object, object]) -> tuple[object, object]:
        wall_ns, cpu_ns = (each.copy() for each in series)  # type: ignore[attr-defined]
        for each in (wall_ns, cpu_ns):
            each[len(each) // 2 :] = each[len(each) // 2 :] * 103 // 100
        return wall_ns, cpu_ns

    return run.with_series(CELL, rise)  # type: ignore[arg-type]


def starts(run: Records) -> dict[str, set[int | None]]:
    """The steady points of the cell's executions, by host."""
    found: dict[str, set[int | None]] = {}
    (cell,) = [one for one in run.evidence().cells if one.cell.id == CELL]
    for each in cell.completed:
        assert each.steady is not None
        found.setdefault(each.record.host, set()).add(each.steady.start)
    return found


def test_a_level_that_is_noise_on_one_host_is_a_change_on_another() -> None:
    run = honest_run()
    quiet, noisy = host("quiet", 0.001, run.host), host("noisy", 0.2, run.host)
    for order in ((quiet, noisy), (noisy, quiet)):
        found = starts(steps(over(run, *order)))
        assert all(start is not None and start < 20 for start in found["noisy"])
        assert all(start is None or start >= 30 for start in found["quiet"])


def test_a_cell_has_the_noise_of_the_hosts_that_measured_it() -> None:
    run = honest_run()
    quiet, noisy = host("quiet", 0.001, run.host), host("noisy", 0.2, run.host)
    evidence = over(run, quiet, noisy).evidence()
    assert {one.name for one in evidence.hosts_of(*evidence.cells)} == {"quiet", "noisy"}
    assert noise_floor(evidence.hosts, "cpu") == 0.2
    alone = replace(over(run, quiet), hosts=(quiet, noisy)).evidence()
    assert [one.name for one in alone.hosts_of(*alone.cells)] == ["quiet"]
    assert noise_floor([], "wall") == 0.0


def test_hosts_that_are_alike_do_not_differ() -> None:
    like = honest_run().host
    assert differing([host("a", 0.1, like), host("b", 0.2, like)], most=0.0) == {}
