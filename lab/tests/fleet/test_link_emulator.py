"""The frames that the link emulator holds and drops."""

from __future__ import annotations

import pytest

from runfair.fleet.link_emulator import HeldFrames

FRAMES = 10_000


def forwarded(loss: float, seed: int = 1) -> list[int]:
    """The numbers of the frames that are not lost."""
    held = HeldFrames(delay_ns=0, loss=loss, seed=seed)
    for number in range(FRAMES):
        held.add(number.to_bytes(2), number)
    return [int.from_bytes(frame) for frame in held.due(FRAMES)]


@pytest.mark.parametrize("loss", [0.01, 0.2])
def test_the_declared_share_of_the_frames_is_lost(loss: float) -> None:
    arrived = forwarded(loss)
    assert 0.6 * loss <= 1 - len(arrived) / FRAMES <= 1.4 * loss
    assert arrived == sorted(arrived)
    assert forwarded(loss) == arrived
    assert forwarded(loss, seed=2) != arrived


def test_without_loss_every_frame_arrives() -> None:
    assert forwarded(0.0) == [*range(FRAMES)]


def test_a_frame_is_held_for_the_delay() -> None:
    held = HeldFrames(delay_ns=100, loss=0.0, seed=1)
    assert held.next_ns is None
    held.add(b"first", 1000)
    held.add(b"second", 1050)
    assert held.next_ns == 1100
    assert list(held.due(1099)) == []
    assert list(held.due(1100)) == [b"first"]
    assert held.next_ns == 1150
    assert list(held.due(2000)) == [b"second"]
