"""What a machine cannot do."""

from __future__ import annotations

import itertools
from dataclasses import replace

from evidence.honest_run import honest_run
from evidence.two_hosts import on_two_hosts
from fairness.stories import SMALL, Story
from runfair.fairness.checks.machine import check
from runfair.fairness.verdict import judge
from runfair.formats.host import Gate


def gate(state: str) -> Gate:
    return Gate.model_validate(
        {"name": "governor", "state": state, "found": "powersave", "command": "cpupower …"}
    )


STORIES = (
    Story("no counters", lambda run: run.with_host(hardware_counters=False), "limitation", None),
    Story("virtual", lambda run: run.with_host(virtualised="kvm"), "limitation", None),
    Story("said to be none", lambda run: run.with_host(virtualised="none"), None),
    Story("a guest's clock", lambda run: run.with_host(clock_source="kvm-clock"), None),
    Story("a slow clock", lambda run: run.with_host(clock_source="hpet"), "limitation", None),
    Story("nothing for the lab", lambda run: run.with_plan(lab_processors=[]), "limitation", None),
    Story("shared", lambda run: run.with_plan(lab_processors=[1]), "limitation", None),
    Story("partly shared", lambda run: run.with_plan(lab_processors=[0, 1]), None),
    Story("no reference", lambda run: replace(run, readings=()), "limitation", None),
    Story("planned", lambda run: run.with_plan(limitations=["no PyPy"]), "limitation", None),
    Story(
        "disturbing",
        lambda run: run.with_calibration(gates=[gate("disturbing")]),
        "limitation",
        None,
    ),
    Story("unknown", lambda run: run.with_calibration(gates=[gate("unknown")]), "limitation", None),
    Story(
        "restarted during the run, so the executions before and after the restart may not be "
        "comparable",
        lambda run: run.with_records(SMALL, 3, boot_id="x"),
        "warning",
        None,
    ),
    Story(
        "restarted, and one execution failed before it",
        lambda run: run.with_records(SMALL, 1, boot_id="x").failing(SMALL, 1),
        None,
        also=frozenset({"failures", "executions"}),
    ),
    Story(
        "each host has a boot of its own",
        lambda run: replace(
            run,
            executions=tuple(
                one.model_copy(update={"host": f"h{one.block % 2}", "boot_id": f"b{one.block % 2}"})
                for one in run.executions
            ),
        ),
        None,
    ),
    Story("boots not told", lambda run: run.with_records(SMALL, boot_id=""), None),
    Story("quiet", lambda run: run.with_calibration(gates=[gate("quiet")]), None),
)


def test_a_limitation_of_the_machine_changes_no_verdict() -> None:
    verdict = judge(honest_run().with_host(hardware_counters=False).evidence())
    assert [finding.check for finding in verdict.run] == ["machine"]
    judged = [figure for cell in verdict.cells for figure in cell.figures.values()]
    assert all(figure.state == "fair" and not figure.findings for figure in judged)


def test_a_reference_loop_that_cannot_run_is_one_line() -> None:
    unread = replace(honest_run(), readings=())
    (finding,) = check(unread.evidence())
    assert finding.text == (
        "it is unknown whether the machine's speed changed during the run, because "
        "runfair's reference loop of constant work did not run"
    )
    found = [one.text for one in check(unread.with_plan(lab_processors=[1]).evidence())]
    assert found[-1] == (
        "it is unknown whether the machine's speed changed during the run, because "
        "runfair's reference loop of constant work did not run (no processor is free for the loop)"
    )


def test_each_host_of_a_run_is_described() -> None:
    alike = honest_run().on_hosts("one", "two")
    assert list(check(alike.evidence())) == []
    (finding,) = check(honest_run().on_hosts("one", "two", hardware_counters=False).evidence())
    assert finding.text.startswith("two: this machine has no hardware counters")
    virtual = [one.model_copy(update={"virtualised": "kvm"}) for one in alike.hosts]
    (finding,) = check(replace(alike, hosts=tuple(virtual)).evidence())
    assert finding.text.startswith("all 2 hosts: this is a virtual machine (kvm)")


def test_a_machine_is_not_called_virtual_without_a_sign_of_it() -> None:
    (finding,) = check(honest_run().with_host(virtualised="not told").evidence())
    assert finding.text.startswith("it is unknown whether this is a virtual machine")


def test_a_host_that_measured_nothing_is_not_described() -> None:
    run = honest_run().on_hosts("one", "two", hardware_counters=False)
    elsewhere = tuple(one.model_copy(update={"host": "one"}) for one in run.executions)
    assert list(check(replace(run, executions=elsewhere).evidence())) == []


def test_the_host_that_was_restarted_is_named() -> None:
    run = honest_run().on_hosts("one", "two")
    again = next(one.id for one in run.executions if one.host == "two")
    executions = tuple(
        one.model_copy(update={"boot_id": "x"}) if one.id == again else one
        for one in run.executions
    )
    (finding,) = check(replace(run, executions=executions).evidence())
    assert finding.text == (
        "two was restarted during the run, so the executions before and after the restart "
        "may not be comparable"
    )


def test_a_restart_of_each_host_of_a_service_is_found() -> None:
    boots = itertools.cycle(["before", "after"])
    run = on_two_hosts(lambda one: one.model_copy(update={"boot_id": next(boots)}))
    (found,) = [one for one in check(run.evidence()) if one.severity == "warning"]
    assert found.text == (
        "second was restarted during the run, so the executions before and after the "
        "restart may not be comparable"
    )


def test_the_limitations_of_each_host_of_a_service_are_noted() -> None:
    run = on_two_hosts(hardware_counters=False).evidence()
    assert any(one.text.startswith("second: this machine has no hard") for one in check(run))


def test_what_the_kernel_does_not_report_is_said_so() -> None:
    silent = Gate(name="turbo", state="unknown", found="not told")
    (finding,) = check(honest_run().with_calibration(gates=[silent]).evidence())
    assert finding.text == "turbo: unknown (not reported)"
