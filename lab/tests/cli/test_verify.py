"""`verify` refuses options that would have no effect, before it looks for runtimes."""

from __future__ import annotations

import pytest

from runfair.cli.verify import verify
from runfair.errors import UserMistake


def test_options_of_programs_are_refused_if_only_services_are_verified() -> None:
    with pytest.raises(UserMistake, match="--tiers selects programs, but"):
        verify(["techempower"], tiers=["standard"])
    with pytest.raises(UserMistake, match="--mutants changes programs, but"):
        verify(["techempower"], mutants="quick")
    with pytest.raises(UserMistake, match="--param changes the work of programs, but"):
        verify(services=["helidon"], param=["letters=3"])
