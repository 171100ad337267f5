"""Hosts that share one machine, and machines of their own."""

from __future__ import annotations

from evidence.honest_run import honest_run
from fairness.stories import Story
from runfair.fairness.checks.simulated_hosts import check
from runfair.fairness.verdict import judge

STORIES = (
    Story("a simulated host", lambda run: run.with_host(simulated=True), "warning", None),
    Story("a machine", lambda run: run, None),
)


def test_no_figure_of_simulated_hosts_is_fair() -> None:
    run = honest_run().with_host(simulated=True).on_hosts("host1", "host2").evidence()
    (finding,) = check(run)
    assert "simulates the hosts of this run (host1, host2) on one machine" in finding.text
    states = {figure.state for cell in judge(run).cells for figure in cell.figures.values()}
    assert states == {"flagged"}
