"""The offloads of a host's network device: work of the network stack that the device, or the kernel
for whole batches of packets, does. Offloads change the CPU time and the delay of packets."""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct

from runfair.machine.host import interface_addresses

# The request and its commands are constants of linux/sockios.h and linux/ethtool.h. The names are
# those of `ethtool -k` (ethtool(8)).
_ASK_DEVICE = 0x8946
_COMMANDS = {
    "rx-checksumming": 0x14,
    "tx-checksumming": 0x16,
    "scatter-gather": 0x18,
    "tcp-segmentation-offload": 0x1E,
    "generic-segmentation-offload": 0x23,
    "generic-receive-offload": 0x2B,
}
_FLAGS_COMMAND = 0x25
_FLAGS = {"large-receive-offload": 1 << 15}
_VALUE = struct.Struct("II")  # struct ethtool_value: the command, and the answer
_REQUEST = struct.Struct("16sP16x")  # struct ifreq: the interface's name, and a pointer


def read_offloads(address: str) -> list[str] | None:
    """The offloads that are on, of the network device with this IPv4 address. None if no device has
    the address, or if the device does not tell."""
    device = next((name for name, own in interface_addresses().items() if own == address), None)
    if device is None:
        return None
    try:
        found = [name for name, command in _COMMANDS.items() if _asked(device, command)]
        flags = _asked(device, _FLAGS_COMMAND)
    except OSError:
        return None
    return found + [name for name, bit in _FLAGS.items() if flags & bit]


def _asked(device: str, command: int) -> int:
    """The device's answer to a command of ethtool. Raises OSError if the device has none."""
    value = ctypes.create_string_buffer(_VALUE.pack(command, 0), _VALUE.size)
    request = _REQUEST.pack(device.encode(), ctypes.addressof(value))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        fcntl.ioctl(asked, _ASK_DEVICE, request)
    return int(_VALUE.unpack(value.raw)[1])
