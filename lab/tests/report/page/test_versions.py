"""Versions of one runtime as a line: the ratios in version order, a gap where one is void."""

from __future__ import annotations

import pytest

from evidence.honest_run import GCC, GO, JAVA, cell_id, honest_run
from evidence.records import Records
from report.page.pages import drawn, page_of, picture
from result.test_run import result_of, second_benchmark
from runfair.report.page.contents import Contents

VERSIONS = {GCC.name: "3.9.18", GO.name: "3.10.13", JAVA.name: "3.8.18"}


def of_versions(run: Records) -> Records:
    """Three of the variants are versions of one runtime, in an order that no sorting of texts
    gives; the fourth is another's."""
    for name, version in VERSIONS.items():
        run = run.with_variant(name, family="gcc", version=version, runtime=name)
    return run


def titled(page: Contents, kind: str = "small · steady") -> str:
    title = f"gcc by version · sudoku · balanced · {kind} · 1 thread"
    return picture(page, title).title


def test_versions_stand_in_their_order_with_the_models_ratios() -> None:
    run = of_versions(honest_run())
    page = page_of(run)
    shown = picture(page, titled(page)).data["points"]
    model = {cell.id: cell for cell in result_of(run).cells}
    assert list(shown["variant"]) == [JAVA.name, GCC.name, GO.name]
    for place, runtime in enumerate((JAVA, GCC, GO)):
        relative = model[cell_id(runtime)].figures["cpu"].relative
        assert relative is not None
        assert shown["value"][place] == pytest.approx(relative.value, rel=1e-3)
        if relative.interval is not None:
            drawn_ends = (shown["low"][place], shown["high"][place])
            assert drawn_ends == pytest.approx(relative.interval, rel=1e-3)


def test_a_version_that_is_void_is_a_gap_with_the_word() -> None:
    run = of_versions(honest_run().with_records(cell_id(GO), digest="f" * 16))
    page = page_of(run)
    shown = picture(page, titled(page))
    assert shown.data["points"]["value"][2] is None
    assert shown.data["points"]["low"][2] is None
    assert list(shown.data["words"]["word"]) == ["void"]
    assert list(shown.data["words"]["place"]) == [shown.data["points"]["place"][2]]
    assert shown.table.rows[2].cells[-2:] == ("void", "void")
    assert shown.judgement.counts["void"] == 1
    assert all(svg.startswith("<svg") for svg in drawn(page))


def test_flags_are_lines_of_their_own_and_builders_are_named() -> None:
    run = honest_run()
    run = run.with_variant(JAVA.name, runtime="temurin-25", lineage="openjdk", version="25.0.1+8")
    run = run.with_variant(
        GCC.name, runtime="gcc-12.2.0", family="openjdk", version="17.0.9", origin="Debian"
    )
    page = page_of(run)
    shown = picture(page, "openjdk by version · sudoku · balanced · small · steady")
    assert list(shown.data["points"]["series"]) == ["openjdk+o3", "openjdk+g1-gc"]
    assert [row.cells[2:4] for row in shown.table.rows] == [
        ("17.0.9", "Debian"),
        ("25.0.1+8", "system"),
    ]


def test_one_version_alone_is_no_series() -> None:
    page = page_of(honest_run())
    assert "versions" not in [one.name for one in page.sections]


def test_the_mean_comes_first_where_there_is_one() -> None:
    both = second_benchmark(of_versions(honest_run()))
    page = page_of(both)
    section = next(one for one in page.sections if one.name == "versions")
    assert [one.title.split(" · ")[1] for one in section.pictures] == [
        *("geometric mean", "sudoku", "sort", "sudoku"),
    ]
    means = {
        one.variant: one.value
        for one in result_of(both).geometric_means
        if one.figure == "cpu" and one.variant in VERSIONS
    }
    shown = section.pictures[0].data["points"]
    assert list(shown["variant"]) == [JAVA.name, GCC.name, GO.name]
    assert dict(zip(shown["variant"], shown["value"], strict=True)) == pytest.approx(
        means, rel=1e-3
    )
