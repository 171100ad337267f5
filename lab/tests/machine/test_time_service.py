"""What the kernel says of its clock, here and in each of its answers."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import pytest

from runfair.machine.time_service import clock_is_kept


def test_this_host_tells_or_does_not() -> None:
    assert clock_is_kept() in (True, False, None)


@pytest.mark.parametrize(("state", "kept"), [(0, True), (1, True), (5, False), (-1, None)])
def test_the_kernel_s_answers(
    state: int, kept: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = SimpleNamespace(adjtimex=lambda _: state)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: library)
    assert clock_is_kept() is kept
