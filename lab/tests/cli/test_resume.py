"""A run stays on one machine and kernel."""

from __future__ import annotations

import pytest

from experiment.plans import host
from runfair.cli.resume import require_same_machine
from runfair.errors import UserMistake


@pytest.mark.parametrize("name", ["name", "kernel", "processor_model"])
def test_another_machine_is_refused_with_what_differs(name: str) -> None:
    with pytest.raises(UserMistake, match=f"{name.replace('_', ' ')} was .* here it is other"):
        require_same_machine(host(), host(**{name: "other"}))


def test_a_restart_alone_is_left_to_the_checks() -> None:
    require_same_machine(host(), host(boot_id="another"))
