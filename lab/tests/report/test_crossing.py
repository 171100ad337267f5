"""Who leads changes only where ranges lie apart on both sides."""

from __future__ import annotations

from runfair.report.crossing import crossings


def said(**courses: dict[float, tuple[float, float]]) -> list[str]:
    return list(crossings(courses, lambda place: f"{place:g}"))


def test_a_crossing_lies_between_two_points_where_somebody_leads() -> None:
    ours = {10.0: (1.0, 2.0), 100.0: (4.0, 6.0), 1000.0: (9.0, 10.0)}
    theirs = {10.0: (3.0, 4.0), 100.0: (5.0, 7.0), 1000.0: (6.0, 7.0)}
    assert said(a=ours, b=theirs) == [
        "a and b cross between 10 and 1000: below, a is the lower, above, b."
    ]
    assert said(b=theirs, a=ours) == said(a=ours, b=theirs)


def test_none_where_one_leads_throughout_or_nobody_is_known_to() -> None:
    low, high = (1.0, 2.0), (3.0, 4.0)
    assert said(a={1.0: low, 2.0: low}, b={1.0: high, 2.0: high}) == []
    assert said(a={1.0: low, 2.0: (1.0, 5.0)}, b={1.0: high, 2.0: low}) == []
    assert said(a={1.0: low}, b={2.0: high}) == []
    assert said(a={1.0: low, 2.0: high}) == []


def test_there_and_back() -> None:
    low, high = (1.0, 2.0), (3.0, 4.0)
    ours, theirs = {1.0: low, 2.0: high, 4.0: low}, {1.0: high, 2.0: low, 4.0: high}
    assert len(said(a=ours, b=theirs)) == 2
