"""What is asked of `decide`: no option is ignored, and none is refused that means something."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from decision.test_answer import WITHHELD, answered, withholding
from runfair.cli.decide import decide, show
from runfair.errors import UserMistake


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"gib_price": 5.0}, "state --load too"),
        ({"instance_price": 5.0, "effort": 9.0}, "state --load too"),
        ({"head_room": 0.2}, "state --load too"),
        ({"load": 10.0, "effort": 9.0}, "state --instance-price or --gib-price"),
        ({"load": 10.0, "instance_price": 5.0, "payback": 3.0}, "state --effort too"),
        ({"load": 10.0, "gib_price": 0.0}, "state --instance-price or --gib-price"),
    ],
)
def test_half_a_question_says_what_it_lacks(
    options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UserMistake, match=said) as caught:
        decide("no-such-run", results=tmp_path, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"load": 10.0},
        {"load": 10.0, "head_room": 0.2},
        {"load": 10.0, "gib_price": 5.0},
        {"load": 10.0, "instance_price": 5.0, "gib_price": 1.0, "effort": 9.0, "payback": 3.0},
    ],
)
def test_a_whole_question_goes_on_to_the_run(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="no-such-run"):
        decide("no-such-run", results=tmp_path, **options)


def test_a_doubt_of_the_baseline_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    found = answered(withholding(WITHHELD))
    (candidate,) = found.candidates
    assert candidate.doubts
    show(found.model_copy(update={"candidates": [candidate, candidate]}))
    said = capsys.readouterr().out
    assert said.count(candidate.sentence) == 2
    assert [said.count(f"doubt  {doubt}\n") for doubt in candidate.doubts] == [1] * len(
        candidate.doubts
    )
