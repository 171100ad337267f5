"""The probe of this process. The probe is confirmed first, is started with the main program, and
writes its side file at the end."""

import _signal
import atexit
import ctypes
import os
import sys

from runfair_probe import known_loop, layouts, opcodes, sampling
from runfair_probe.native import library
from runfair_probe.refusal import Refused
from runfair_probe.side_file import write

MODES = {"count": 1, "mark": 2, "pairs": 3, "latency": 4, "instructions": 5, "profile": 6}
SAMPLED = ("mark", "profile")
PAIRED = ("pairs", "profile")
MOST_TABLES = 16
SAMPLING_PERIOD_NS = 1_003_009  # about 1 kHz; an odd value, not in step with periodic work
NEVER_NS = 10**15
CALIBRATION_BLOCKS = 6
PERIODS = {
    "mark": SAMPLING_PERIOD_NS,
    "profile": SAMPLING_PERIOD_NS,
    "latency": 1 << 7,
    "instructions": 1 << 14,
}

Counts = ctypes.c_uint64 * opcodes.OPCODES
Pairs = ctypes.c_uint64 * (opcodes.OPCODES * (opcodes.OPCODES + 1))


class Session:
    def __init__(self, folder):
        self.folder = folder
        self.mode = os.environ.get("RUNFAIR_PROBE_MODE", "mark")
        self.names = opcodes.names()
        self.native = library()
        self.ended_in = None
        self.ending = False
        self.terminated = None

    def begin(self):
        """Prepares the probe. If anything is not as expected, raises Refused and leaves the process
        unchanged."""
        if self.native.probe_is_begun():
            return  # a sub-interpreter, which has the same dispatch table
        self._check_wanted()
        table = self._confirmed_table()
        self.no_lines = self._use_layout() if self.mode in SAMPLED else ""
        self.calibration = self._calibrated(table)
        self._call("probe_start_at_main", table, MODES[self.mode], PERIODS.get(self.mode, 0))
        # The callback must outlive the program. It also runs where `os._exit` ends a fork.
        if _signal.getsignal(_signal.SIGTERM) == _signal.SIG_DFL:
            _signal.signal(_signal.SIGTERM, self._terminated)
            self.native.probe_repeat_until_heard(_signal.SIGTERM)
        self._end = ctypes.PYFUNCTYPE(None)(self.end)
        self.native.probe_at_end(self._end, os.fsencode(self.folder))
        atexit.register(self.end)
        # `probe_stop` is registered last and thus called before `end`, so that the bytecode of
        # `end` is not counted.
        atexit.register(self.native.probe_stop)

    def end(self):
        if self.ended_in == os.getpid():
            return
        self.ending = True
        self.ended_in = os.getpid()
        self._write()
        self.ending = False
        if self.terminated is not None:
            _terminate(self.terminated)

    def _write(self):
        error = self.native.probe_stop()
        if error is not None and error != b"not attached":
            record = {**self._process(), "refused": error.decode()}
        elif self.native.probe_is_restored():
            record = self._record()
        else:
            raise AssertionError("the dispatch table was not restored")
        if write(self.folder, record):
            self.native.probe_withdraw()

    def _terminated(self, number, _frame):
        """Ends the probe after a signal that the program does not handle. Without this, exit
        handlers would not run. If the probe is ending already, its results are written first."""
        self.native.probe_heard(number)
        if self.ending:
            self.terminated = number
            return
        self.end()
        _terminate(number)

    def _check_wanted(self):
        wanted = os.environ.get("RUNFAIR_PROBE_BYTECODES", "")
        for name in filter(None, wanted.split(",")):
            if name not in self.names:
                import difflib  # noqa: PLC0415

                known = [each for each in self.names if each]
                near = difflib.get_close_matches(name.upper(), known, 3, 0.5)
                hint = f"; near it: {', '.join(near)}" if near else ""
                version = ".".join(map(str, sys.version_info[:2]))
                raise Refused(f"no bytecode {name} in CPython {version}{hint}")

    def _confirmed_table(self):
        """The number of the only dispatch table with which a known loop is counted correctly."""
        if "t" in sys.abiflags:
            raise Refused("not supported: a free-threaded build")
        named = bytes(1 if name else 0 for name in self.names)
        inside = ctypes.cast(ctypes.pythonapi.PyLong_FromLong, ctypes.c_void_p).value
        found = (ctypes.c_uint64 * MOST_TABLES)()
        for table in range(self.native.probe_search(named, inside, found)):
            if known_loop.counted_right(lambda call, at=table: self._counted(at, call), self.names):
                return table
        raise Refused(
            "this build's dispatch table was not found, or does not count a known loop correctly"
            " (was it built without computed gotos?)"
        )

    def _counted(self, table, call):
        self._call("probe_start", table, MODES["count"], 0)
        call()
        self._call("probe_stop")
        if not self.native.probe_is_restored():
            raise AssertionError("the dispatch table was not restored")
        return self._counts()

    def _calibrated(self, table):
        """The cost that the probe adds to the execution of a bytecode, which is the additional time
        of the known loop, in nanoseconds: the mean, and the standard deviation of the mean."""
        if self.mode in ("instructions", "latency"):  # they measure executions, without this cost
            return 0.0, 0.0
        dispatches = sum(self._counted(table, known_loop.long))
        blocks = []
        for _ in range(CALIBRATION_BLOCKS):
            bare_ns = known_loop.shortest_ns()
            self._call("probe_start", table, MODES[self.mode], NEVER_NS)
            probed_ns = known_loop.shortest_ns()
            self._call("probe_stop")
            blocks.append((probed_ns - bare_ns) / dispatches)
        mean = sum(blocks) / len(blocks)
        squares = sum((block - mean) ** 2 for block in blocks)
        return mean, (squares / (len(blocks) - 1) / len(blocks)) ** 0.5

    def _use_layout(self):
        """Why samples cannot be attributed to lines; "" if they can."""
        layout = layouts.layout()
        if layout is None:
            return layouts.unknown()
        if not self.native.probe_can_read_memory():
            return (
                "the process may not read its own memory by process_vm_readv (a container may "
                "forbid this system call)"
            )
        self.native.probe_use_layout(ctypes.byref(layout))
        if layouts.confirmed(self.native):
            return ""
        raise Refused("the probe does not know where this build keeps its frames")

    def _call(self, name, *arguments):
        error = getattr(self.native, name)(*arguments)
        if error is not None:
            raise Refused(error.decode())

    def _counts(self):
        counts = Counts()
        self.native.probe_counts(counts)
        return list(counts)

    def _process(self):
        return {
            "runtime": "cpython",
            "version": ".".join(map(str, sys.version_info[:3])),
            "executable": sys.executable or "",
            "pid": os.getpid(),
            "mode": self.mode,
        }

    def _record(self):
        families = opcodes.families()
        record = self._process()
        record["cpu_ns"] = self.native.probe_cpu_ns()
        record["bytecodes"] = [
            {"name": name, "family": families.get(name, name), "executions": count}
            for name, count in zip(self.names, self._counts(), strict=True)
            if name is not None and count
        ]
        mean, deviation = self.calibration
        if self.mode == "latency":
            fences = (ctypes.c_double * 2)()
            self.native.probe_fences(fences)
            mean, deviation = fences[0], fences[1] ** 0.5
        record["calibration"] = {"mean_ns": mean, "deviation_ns": deviation}
        cycle = (ctypes.c_double * 2)()
        self.native.probe_cycle(cycle)
        record["cycle"] = {"mean_ns": cycle[0], "deviation_ns": cycle[1] ** 0.5}
        if self.mode == "latency":
            record["measured"] = self._measured(1 / self.native.probe_ticks_per_ns())
        if self.mode == "instructions":
            record["measured"] = self._measured(1)
        if self.mode in SAMPLED:
            record["sampling"] = sampling.record(
                self.native, self.names, SAMPLING_PERIOD_NS, located=not self.no_lines
            )
            record["no_lines"] = self.no_lines
        if self.mode in PAIRED:
            record["pairs"] = self._pairs()
        return record

    def _measured(self, unit):
        numbers = (ctypes.c_uint64 * 5)()
        found = []
        for operation, name in enumerate(self.names):
            self.native.probe_moments(operation, numbers)
            count, total, squares, nested, interrupted = numbers
            if name is not None and count + nested + interrupted:
                found.append(
                    {
                        "bytecode": name,
                        "count": count,
                        "sum": total * unit,
                        "sum_of_squares": squares * unit * unit,
                        "nested": nested,
                        "interrupted": interrupted,
                    }
                )
        return found

    def _pairs(self):
        pairs = Pairs()
        if not self.native.probe_pairs(pairs):
            return []
        found = []
        for at, first in enumerate(self.names):
            row = pairs[at * opcodes.OPCODES : (at + 1) * opcodes.OPCODES]
            for second, count in zip(self.names, row, strict=True):
                if count:
                    found.append({"first": first, "second": second, "executions": count})
        return found


def _terminate(number):
    """Ends this process by the signal, as if the program were not probed."""
    _signal.signal(number, _signal.SIG_DFL)
    os.kill(os.getpid(), number)
