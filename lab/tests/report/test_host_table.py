"""The table that names the hosts of services that ran on several."""

from __future__ import annotations

from evidence.honest_services import honest_services
from evidence.two_hosts import launched, on_two_hosts
from report.test_service_tables import tables_of
from runfair.formats.plan import Factors
from runfair.wording.naming import spread


def test_a_row_names_a_host_of_a_service() -> None:
    run = on_two_hosts(launched(cpu_ns=0, peak_tree_bytes=2**20))
    tables = tables_of(run)
    rows = tables["hosts of the service"].rows
    assert [row.cells[1] for row in rows] == ["first", "second", "first", "second"]
    assert [row.cells[3] for row in rows[:2]] == ["100%", "0%"]
    assert [row.cells[4] for row in rows[:2]] == ["45.0 MiB", "1.00 MiB"]
    assert {row.cells[-1] for row in rows} == {"fair"}
    assert ", 2 hosts · latency" in tables["latency"].title
    assert spread(Factors(instances=3, hosts=2)) == ["3 instances on each host", "2 hosts"]
    assert spread(Factors(instances=3)) == ["3 instances"]
    assert all("instances" not in row.cells[0] for row in tables["latency"].rows)


def test_services_on_a_single_host_have_no_such_table() -> None:
    assert "hosts of the service" not in tables_of(honest_services())
