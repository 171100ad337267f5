"""What is asked of `compare`, before any run is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runfair.cli.compare import compare
from runfair.errors import UserMistake


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"fail_on": "slowness"}, "the only possible value is `regression`"),
        ({"threshold": "0.03"}, "give a percentage such as 3%"),
        ({"threshold": "-3%"}, "give a percentage"),
        ({"threshold": "٣%"}, "give a percentage"),
        (
            {"figure": ["speed"]},
            "--figure speed: there is no figure with this name; choose one of wall, cpu, memory",
        ),
        ({}, "there is no run with this name or path"),
        (
            {"threshold": "2.5%", "fail_on": "regression", "figure": ["p99"]},
            "there is no run with this name",
        ),
    ],
)
def test_a_mistake_is_one_line(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=said) as caught:
        compare(["no-such-run"], results=tmp_path, **options)
    assert "\n" not in str(caught.value)
