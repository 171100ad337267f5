"""The conclusion about peaks: a question a class, answered test by test."""

from __future__ import annotations

from evidence.honest_peaks import CONNECTIONS, DB, FASTAPI, JSON, TESTS, honest_peaks, peak_id
from report.conclusion.concluded import concluded, lines


def test_each_class_has_its_question() -> None:
    found = concluded(honest_peaks())
    assert [one.title for one in found.questions] == [
        "techempower at its peak, platform · raw · realistic",
        "techempower at its peak, micro · raw · realistic",
    ]
    assert found.state == "fair"
    for one in found.questions:
        assert one.state == "answered"
        assert [row[0] for row in one.rows] == [test.name for test in TESTS]
    platform = found.questions[0]
    assert "beast" in platform.rows[0][1].split(", ")[0]
    assert platform.rows[0][1].endswith("(requests/s)")
    assert platform.rows[2][1].endswith("(CPU/request)")
    assert platform.sentences[0].startswith(
        "Score 'sum', with weights that are not verified: beast 100, net-http "
    )
    assert platform.sentences[1].startswith("Score 'shares': beast 100, net-http ")


def test_a_peak_without_an_answer_leaves_its_question_open() -> None:
    run = honest_peaks()
    for count in CONNECTIONS:
        run = run.failing(peak_id(FASTAPI, JSON, count), 6)
    found = concluded(run)
    assert [one.state for one in found.questions] == ["answered", "open"]
    assert "No answer for" in found.questions[1].sentences[0]
    assert found.badge == "not answered"


def test_a_test_that_a_framework_lacks_needs_no_answer() -> None:
    run = honest_peaks()
    for count in CONNECTIONS:
        run = run.with_cell(peak_id(FASTAPI, DB, count), unsupported="it has no database")
    assert {one.state for one in concluded(run).questions} == {"answered"}


def test_it_fits_a_terminal() -> None:
    shown = lines(honest_peaks())
    assert len(shown) <= 24
    assert any("techempower at its peak" in line for line in shown)
