"""Wrong, missing and unconfirmed answers."""

from __future__ import annotations

from evidence.honest_run import GCC, GO, PYTHON, cell_id, honest_run
from evidence.records import Records
from fairness.stories import SMALL, Story
from runfair.fairness.checks.digest import check
from runfair.formats.execution import Outcome

WRONG = "f" * 16


def without_canonical(run: Records) -> Records:
    return run.with_cells(lambda _: True, digest=None)


STORIES = (
    Story("one wrong answer", lambda run: run.with_records(SMALL, 1, digest=WRONG), "fault"),
    Story("one answer missing", lambda run: run.with_records(SMALL, 1, digest=None), "fault"),
    Story(
        "a wrong answer of a failed execution",
        lambda run: run.with_records(
            SMALL, 1, digest=WRONG, outcome=Outcome(state="failed", reason="digest")
        ),
        "fault",
        also=frozenset({"failures", "executions"}),
    ),
    Story(
        "programs disagree, and nobody knows who is right",
        lambda run: without_canonical(run).with_records(cell_id(PYTHON), digest=WRONG),
        "fault",
    ),
    Story(
        "one variant alone, with nothing to agree with",
        lambda run: run.with_cells(lambda cell: cell.variant == GCC.name, digest=None),
        "warning",
    ),
    Story(
        "two builds of one source",
        lambda run: run.with_cells(
            lambda cell: cell.variant in (GCC.name, GO.name), digest=None, language="c++"
        ),
        "warning",
    ),
    Story(
        "a second language that gave no answer confirms none",
        lambda run: (
            run.with_cells(lambda cell: cell.variant in (GCC.name, PYTHON.name), digest=None)
            .with_records(cell_id(PYTHON), digest=None)
            .with_records(cell_id(PYTHON, mode="cold"), digest=None)
        ),
        "warning",
    ),
    Story("no canonical answer, and all agree", without_canonical, None),
)


def test_where_programs_disagree_all_are_void() -> None:
    run = without_canonical(honest_run()).with_records(cell_id(PYTHON), digest=WRONG)
    small = [finding.cell for finding in check(run.evidence()) if finding.severity == "fault"]
    assert len(small) == 8
    assert all(cell is not None and "/small/" in cell for cell in small)


def test_of_who_gave_no_answer_nothing_else_is_said() -> None:
    run = without_canonical(honest_run()).with_records(cell_id(PYTHON), 2, digest=None)
    (finding,) = check(run.evidence())
    assert finding.text.startswith("2 of 6 executions printed no digest, so it is unknown")
    silent = run.with_records(cell_id(PYTHON), digest=None).with_records(SMALL, digest=WRONG)
    said = [one.text for one in check(silent.evidence()) if one.cell == cell_id(PYTHON)]
    assert said == [
        "6 of 6 executions printed no digest, so it is unknown whether their answers are correct"
    ]
