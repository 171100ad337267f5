"""The offloads of a network device, from the answers of the kernel."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import socket
import struct

import pytest

from runfair.serving import offloads
from runfair.serving.offloads import read_offloads

SEGMENTATION, FLAGS = 0x1E, 0x25  # ETHTOOL_GTSO and ETHTOOL_GFLAGS of linux/ethtool.h
LARGE_RECEIVE = 1 << 15


def kernel(monkeypatch: pytest.MonkeyPatch, answers: dict[int, int]) -> list[str]:
    """A kernel whose device has these answers, and refuses all commands if it has none. Returns the
    names of the devices that are asked."""
    asked: list[str] = []

    def ioctl(_: socket.socket, __: int, request: bytes) -> None:
        name, pointer = struct.unpack("16sP16x", request)
        asked.append(name.rstrip(b"\0").decode())
        if not answers:
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")
        value = (ctypes.c_uint32 * 2).from_address(pointer)
        value[1] = answers.get(value[0], 0)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    monkeypatch.setattr(offloads, "interface_addresses", lambda: {"lo": "127.0.0.1", "e1": "::7"})
    return asked


def test_the_device_with_the_address_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = kernel(monkeypatch, {SEGMENTATION: 1, FLAGS: LARGE_RECEIVE | 1})
    assert read_offloads("::7") == ["tcp-segmentation-offload", "large-receive-offload"]
    assert {*asked} == {"e1"}


def test_a_device_without_offloads(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel(monkeypatch, {FLAGS: 1})
    assert read_offloads("127.0.0.1") == []


def test_a_device_that_does_not_tell_and_an_address_of_no_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel(monkeypatch, {})
    assert read_offloads("127.0.0.1") is None
    assert read_offloads("10.0.0.9") is None


def test_loopback_of_this_machine_checks_no_sums() -> None:
    """Linux's loopback device always has both offloads of checksums on."""
    assert {"rx-checksumming", "tx-checksumming"} <= {*(read_offloads("127.0.0.1") or ())}
