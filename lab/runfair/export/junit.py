"""JUnit XML for CI servers: each fairness check of each cell is a test case.

A fault that makes a figure void is a failure, and so are faults that together leave a figure
without any bound. A warning, or a fault that gives bounds, is exported as skipped with its finding:
JUnit has no state between passed and failed, and a flagged figure must stay visible. A limitation
is printed in the output of a case that passed. Source: the schema that Jenkins and GitLab read
(`testsuites/testsuite/testcase`).
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from runfair.formats.finding import FigureName, Finding
from runfair.formats.result import CellResult
from runfair.result.judged_run import JudgedRun
from runfair.wording.naming import name_of
from runfair.wording.text import plain

OF_THE_RUN = "the whole run"


def junit(run: JudgedRun) -> str:
    checks = list(run.judged.checks)
    name = plain(run.result.run)
    suites = [_suite(name, OF_THE_RUN, checks, run.judged.run, set())]
    for cell in run.result.cells:
        if cell.absent or not cell.executions + cell.failed:
            suites.append(_not_measured(name, cell))
        else:
            suites.append(_suite(name, cell.id, checks, _own(cell), _unbounded(cell)))
    root = Element("testsuites", {"name": name, **_counts(suites)})
    root.extend(suites)
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _own(cell: CellResult) -> list[Finding]:
    """The findings about a cell, without duplicates. Findings about the whole run have a separate
    suite.
    """
    found: list[Finding] = []
    for figure in cell.figures.values():
        for finding in figure.findings:
            if finding.cell is not None and finding not in found:
                found.append(finding)
    return found


def _unbounded(cell: CellResult) -> set[FigureName]:
    """The figures that are void although each of their faults alone would leave a bound."""
    return {
        name
        for name, figure in cell.figures.items()
        if figure.verdict == "void"
        and all(one.effect is not None for one in figure.findings if one.severity == "fault")
    }


def _suite(
    run: str,
    name: str,
    checks: Sequence[str],
    findings: Sequence[Finding],
    unbounded: set[FigureName],
) -> Element:
    cases = [
        _case(f"{run}.{name}", check, [one for one in findings if one.check == check], unbounded)
        for check in checks
    ]
    suite = Element("testsuite", {"name": plain(name), **_outcomes(cases)})
    suite.extend(cases)
    return suite


def _case(of: str, check: str, findings: Sequence[Finding], unbounded: set[FigureName]) -> Element:
    case = Element("testcase", classname=plain(of), name=check)
    faults = [
        one
        for one in findings
        if one.severity == "fault" and (one.effect is None or unbounded & set(one.figures))
    ]
    warnings = [one for one in findings if one.severity != "limitation" and one not in faults]
    if faults:
        SubElement(case, "failure", type="void", message=_first(faults)).text = _told(faults)
    elif warnings:
        SubElement(case, "skipped", message=f"flagged: {_first(warnings)}")
    if findings:
        SubElement(case, "system-out").text = _told(findings)
    return case


def _not_measured(run: str, cell: CellResult) -> Element:
    name = plain(cell.id)
    case = Element("testcase", classname=f"{run}.{name}", name="measured")
    SubElement(case, "skipped", message=plain(cell.absent) or "not measured")
    suite = Element("testsuite", {"name": name, **_outcomes([case])})
    suite.append(case)
    return suite


def _first(findings: Sequence[Finding]) -> str:
    return plain(f"{_figures(findings[0])}: {findings[0].text}")


def _told(findings: Sequence[Finding]) -> str:
    return "\n".join(
        plain(
            f"{one.severity}, {_figures(one)}: {one.text}"
            + (f" — {one.advice}" if one.advice else "")
        )
        for one in findings
    )


def _figures(finding: Finding) -> str:
    return ", ".join(name_of(figure) for figure in finding.figures) or "no figure"


def _outcomes(cases: Sequence[Element]) -> dict[str, str]:
    return {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
    }


def _counts(suites: Sequence[Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors", "skipped")
    return {name: str(sum(int(suite.attrib[name]) for suite in suites)) for name in names}
