"""The samples of this process, as they stand in the side file."""

import ctypes

from runfair_probe import attribution, opcodes


def record(native, names, period_ns, *, located):
    """The member `sampling` of the side file. `located`: the places of samples are known."""
    codes = attribution.codes_by_address(_kept_codes(native)) if located else {}
    positions = attribution.Positions()
    counts = {}
    place_of = []
    for address, offset, number, caller, count in _rows(native.probe_samples, 5):
        place = {
            "bytecode": names[number] if number < opcodes.OPCODES else None,
            "path": "",
            "function": "",
            "line": None,
            "column": None,
            "end_column": None,
            "caller": caller if located else None,
        }
        code = codes.get(address)
        if code is not None:
            place["path"], place["function"] = attribution.function_of(code)
            place["line"], _, place["column"], place["end_column"] = positions.of(code, offset)
        key = tuple(place.items())
        counts[key] = counts.get(key, 0) + count
        place_of.append(key)
    instants = {key: [] for key in counts}
    for sample, monotonic_ns in _rows(native.probe_instants, 2):
        instants[place_of[sample]].append(monotonic_ns)
    return {
        "source": native.probe_sampled_by().decode(),
        "period_ns": period_ns,
        "period_cycles": native.probe_sampling_cycles(),
        "lost": native.probe_lost_samples(),
        "calls": _calls(native, codes) if located else None,
        "places": [
            {**dict(key), "samples": count, "instants_ns": instants[key]}
            for key, count in counts.items()
        ],
    }


def _calls(native, codes):
    """The call paths as a tree. The first two elements are the bottoms of complete paths, and of
    paths whose outer callers are missing."""
    found = []
    for address, caller in _rows(native.probe_calls, 2):
        path, function = attribution.function_of(codes.get(address))
        found.append({"path": path, "function": function, "caller": caller})
    return found


def _rows(function, width):
    """The rows of `width` numbers that a function of the library writes."""
    room = function(None, 0)
    numbers = (ctypes.c_uint64 * (width * room))()
    function(numbers, room)
    flat = iter(numbers)
    return zip(*[flat] * width, strict=True)


def _kept_codes(native):
    room = native.probe_kept_codes(None, 0)
    addresses = (ctypes.c_uint64 * room)()
    native.probe_kept_codes(addresses, room)
    return attribution.objects_at(addresses)
