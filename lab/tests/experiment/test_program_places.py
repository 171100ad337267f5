"""The places in which programs may run."""

from __future__ import annotations

import pytest

from experiment.test_planning import plan_of
from runfair.errors import UserMistake


def test_programs_on_another_host_are_refused_and_the_way_is_named() -> None:
    places = {"box": {"host": "box", "launcher": ["ssh", "box"]}}
    with pytest.raises(UserMistake, match=r"\[places.box\] is on the host box.* --machines FILE"):
        plan_of({"place": "box"}, places=places)
