"""The native part of the probe, which the loader has preloaded."""

import ctypes
import os

from runfair_probe.refusal import Refused

_TEXTS = (
    ("probe_start", (ctypes.c_int, ctypes.c_int, ctypes.c_uint64)),
    ("probe_start_at_main", (ctypes.c_int, ctypes.c_int, ctypes.c_uint64)),
    ("probe_stop", ()),
    ("probe_sampled_by", ()),
)
_NUMBERS = (
    ("probe_search", (ctypes.c_char_p, ctypes.c_uint64, ctypes.c_void_p), ctypes.c_int),
    ("probe_is_begun", (), ctypes.c_int),
    ("probe_is_restored", (), ctypes.c_int),
    ("probe_cpu_ns", (), ctypes.c_uint64),
    ("probe_ticks_per_ns", (), ctypes.c_double),
    ("probe_cycle", (ctypes.c_void_p,), None),
    ("probe_fences", (ctypes.c_void_p,), None),
    ("probe_moments", (ctypes.c_int, ctypes.c_void_p), None),
    ("probe_counts", (ctypes.c_void_p,), None),
    ("probe_pairs", (ctypes.c_void_p,), ctypes.c_int),
    ("probe_samples", (ctypes.c_void_p, ctypes.c_uint64), ctypes.c_uint64),
    ("probe_calls", (ctypes.c_void_p, ctypes.c_uint64), ctypes.c_uint64),
    ("probe_instants", (ctypes.c_void_p, ctypes.c_uint64), ctypes.c_uint64),
    ("probe_lost_samples", (), ctypes.c_uint64),
    ("probe_sampling_cycles", (), ctypes.c_uint64),
    ("probe_use_layout", (ctypes.c_void_p,), None),
    ("probe_can_read_memory", (), ctypes.c_int),
    ("probe_here", (ctypes.c_void_p,), None),
    ("probe_callers_here", (ctypes.c_void_p, ctypes.c_int), ctypes.c_int),
    ("probe_kept_codes", (ctypes.c_void_p, ctypes.c_uint64), ctypes.c_uint64),
    ("probe_repeat_until_heard", (ctypes.c_int,), None),
    ("probe_heard", (ctypes.c_int,), None),
    ("probe_at_end", (ctypes.c_void_p, ctypes.c_char_p), None),
    ("probe_withdraw", (), None),
)


def library():
    """The preloaded library, with typed functions. Calls of its functions hold the GIL."""
    path = os.environ.get("RUNFAIR_PROBE_LIBRARY", "")
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        if path not in maps.read():
            raise Refused("the probe's library was not preloaded into this process")
    try:
        found = ctypes.PyDLL(path)
    except OSError as error:
        raise Refused(f"the probe's library cannot be loaded: {error}") from None
    for name, arguments in _TEXTS:
        getattr(found, name).argtypes = arguments
        getattr(found, name).restype = ctypes.c_char_p
    for name, arguments, result in _NUMBERS:
        getattr(found, name).argtypes = arguments
        getattr(found, name).restype = result
    return found
