"""JUnit XML: each check a test case; void fails, flagged is skipped, and hostile text is text."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from evidence.honest_run import GO, JAVA, cell_id, honest_run
from evidence.records import Records
from fairness.checks.test_warm_up import drifting
from result.test_run import disturbed, result_of
from runfair.export.junit import OF_THE_RUN, junit
from runfair.fairness.checks import CHECKS
from runfair.result.judged_run import JudgedRun

GO_CELL = cell_id(GO)
HOSTILE = "</testcase><script>alert('1')</script> & \x00\x1b]0; \ud800 \u202e ]]>"


def read(records: Records) -> Element:
    return ElementTree.fromstring(junit(JudgedRun.of("run", records.evidence())))


def case(root: Element, cell: str, check: str) -> Element:
    found = root.find(f"testsuite[@name='{cell}']/testcase[@name='{check}']")
    assert found is not None
    return found


def test_a_case_a_check_for_each_cell_and_the_run() -> None:
    root = read(honest_run())
    suites = root.findall("testsuite")
    assert [suite.attrib["name"] for suite in suites] == [
        OF_THE_RUN,
        *(cell.id for cell in honest_run().plan.cells),
    ]
    assert {len(suite) for suite in suites} == {len(CHECKS)}
    assert root.attrib["tests"] == str(13 * len(CHECKS))
    assert (root.attrib["failures"], root.attrib["skipped"]) == ("0", "0")


def test_a_fault_is_a_failure_with_its_finding() -> None:
    root = read(honest_run().with_records(GO_CELL, 1, iterations=57))
    failure = case(root, GO_CELL, "records").find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "void"
    assert failure.attrib["message"].startswith("wall time")
    assert "states 57 iterations, but the file contains 60" in (failure.text or "")
    assert root.attrib["failures"] == "1"
    suite = root.find(f"testsuite[@name='{GO_CELL}']")
    assert suite is not None
    assert suite.attrib["failures"] == "1"
    # CPU time is told in the same case and not counted twice.
    assert "CPU time" in "".join(case(root, GO_CELL, "records").itertext())


def test_a_fault_that_leaves_a_bound_is_skipped_so_that_it_is_seen() -> None:
    root = read(honest_run().with_launch_share(GO_CELL, "foreign_ns", 0.2))
    assert case(root, GO_CELL, "foreign_time").find("failure") is None
    assert case(root, GO_CELL, "foreign_time").find("skipped") is not None
    assert root.attrib["failures"] == "0"


def test_faults_that_together_leave_no_bound_are_failures() -> None:
    """Others made the wall time longer by an unknown amount, and it still grew at the end."""
    run = disturbed(honest_run().with_series(GO_CELL, drifting), GO_CELL)
    (cell,) = [one for one in result_of(run).cells if one.id == GO_CELL]
    assert cell.figures["wall"].verdict == "void"
    for check in ("foreign_time", "warm_up"):
        assert case(read(run), GO_CELL, check).find("failure") is not None


def test_a_warning_is_skipped_so_that_it_is_seen() -> None:
    root = read(honest_run().with_launch_share(cell_id(JAVA), "foreign_ns", 0.03))
    skipped = case(root, cell_id(JAVA), "foreign_time").find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"].startswith("flagged: wall time: other processes used")
    assert (root.attrib["failures"], root.attrib["skipped"]) == ("0", "1")


def test_a_limitation_passes_and_is_told() -> None:
    root = read(honest_run().with_host(hardware_counters=False))
    of_run = case(root, OF_THE_RUN, "machine")
    assert of_run.find("failure") is None
    assert of_run.find("skipped") is None
    assert "no hardware counters" in (of_run.findtext("system-out") or "")


def test_what_flags_the_whole_run_is_said_once() -> None:
    root = read(honest_run().with_plan(profile="smoke"))
    assert case(root, OF_THE_RUN, "smoke").find("skipped") is not None
    assert root.attrib["skipped"] == "1"


def test_what_flags_several_figures_is_told_once() -> None:
    told = case(read(honest_run().failing(GO_CELL, 1)), GO_CELL, "failures")
    assert (told.findtext("system-out") or "").count("1 of 6 executions failed") == 1


def test_a_cell_that_was_never_carried_out_is_skipped() -> None:
    run = honest_run()
    kept = tuple(record for record in run.executions if record.cell != GO_CELL)
    skipped = case(read(replace(run, executions=kept)), GO_CELL, "measured").find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "not measured"


def test_a_cell_that_could_not_be_run_is_skipped() -> None:
    root = read(honest_run().with_cell(GO_CELL, unsupported="no such runtime"))
    skipped = case(root, GO_CELL, "measured").find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "unsupported: no such runtime"


@pytest.mark.parametrize("where", ["reason", "experiment"])
def test_hostile_text_is_text(where: str) -> None:
    records = (
        honest_run().failing(GO_CELL, 6, HOSTILE)
        if where == "reason"
        else honest_run().with_plan(experiment=HOSTILE).with_cell(GO_CELL, unsupported=HOSTILE)
    )
    root = read(records)
    assert root.findall(".//script") == []
    told = "".join(root.itertext()) + " ".join(
        value for one in root.iter() for value in one.attrib.values()
    )
    assert "<script>alert('1')</script>" in told


def test_a_run_without_cells() -> None:
    root = read(honest_run().with_plan(cells=[], executions=[]))
    assert len(root) == 1
