"""`docs/fairness.md` is what the checks say of themselves."""

from __future__ import annotations

import pytest

from runfair.fairness.checks import CHECKS, Check
from runfair.fairness.page import quantity, render, thresholds, with_values
from runfair.paths import REPOSITORY

PAGE = REPOSITORY / "docs" / "fairness.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == render(), "python -m runfair.fairness.page > docs/fairness.md"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.NAME)
def test_every_check_and_threshold_stands_in_the_page(check: Check) -> None:
    _, _, section = PAGE.read_text().partition(f"\n## {check.NAME}\n")
    section, _, _ = section.partition("\n## ")
    for part in ("Looks for", "Threshold", "Source", "What to do"):
        assert f"**{part}**" in section
    for name, value in thresholds(check).items():
        assert f"| `{name}` | {value:.10g} |" in section


def test_thresholds_are_found() -> None:
    named = {check.NAME: thresholds(check) for check in CHECKS}
    assert named["foreign_time"]["VOID_SHARE"] == 0.05
    assert named["warm_up"] == {} and named["smoke"] == {}


def test_names_are_unlike_and_those_of_the_files() -> None:
    names = [check.NAME for check in CHECKS]
    assert len(set(names)) == len(names)
    folder = REPOSITORY / "lab" / "runfair" / "fairness" / "checks"
    assert set(names) == {path.stem for path in folder.glob("*.py")} - {"__init__"}


def test_a_value_stands_before_its_name() -> None:
    text = "more than `LEAST` of it; ticks (`LEAST`); `other`"
    said = "more than 5% (`LEAST`) of it; ticks (`LEAST`); `other`"
    assert with_values(text, {"LEAST": 0.05}) == said


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("SHARE", 0.99, "99%"),
        ("LONGEST", 1.02, "1.02"),
        ("FEWEST", 6, "6"),
        ("TICK_NS", 10_000_000, "10 ms"),
        ("OLDEST_NS", 24 * 3600 * 10**9, "24 hours"),
        ("HEADERS_BYTES", 200, "200 bytes"),
        ("YOUNG_GENERATION_BYTES", 48 * 1024 * 1024, "48 MiB"),
        ("STORAGE_BYTES_PER_S", 12_000_000, "12 MB/s"),
        ("OPERATIONS_PER_NS", 8.0, "8"),
    ],
)
def test_a_value_has_the_unit_of_its_name(name: str, value: float, text: str) -> None:
    assert quantity(name, value) == text
