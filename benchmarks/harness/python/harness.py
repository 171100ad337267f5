"""The Python half of the program contract (benchmarks/contract.md).

Options, clocks, output, the shared primitives and the loop of iterations, for CPython from 3.8 and
PyPy from 3.9. Its imports are few because start-up is measured too: json, argparse and dataclasses
would each take 5 to 10 ms, as long as the interpreter's own start.
"""

from __future__ import annotations

import os
import resource
import select
import sys
import sysconfig
import time

TYPE_CHECKING = False  # typing's own constant would cost its import
if TYPE_CHECKING:
    from typing import (
        Callable,
        Dict,
        Iterable,
        List,
        Mapping,
        MutableSequence,
        NoReturn,
        Sequence,
        Tuple,
        TypeVar,
        Union,
    )

    State = TypeVar("State")
    Work = TypeVar("Work")
    Result = TypeVar("Result")
    Element = TypeVar("Element")
    Scalar = Union[str, int, float]
    Json = Union[Scalar, Sequence["Json"], Mapping[str, "Json"]]

CONTRACT_VERSION = 1
GREATEST_INTEGER = 2**63 - 1  # of what the contract lets a line say
MOST_THREADS = 2**31 - 1
WRITE_INTERVAL_NS = 100_000_000  # the contract's "at most ten times a second"
MASK_64 = 2**64 - 1
FNV_OFFSET = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3


class UsageError(Exception):
    """The user's mistake: the message is one line that says what to do, the exit status is 2."""


class Parameter:
    """A parameter of the size: an integer of [least, most], `preset` where none is given."""

    __slots__ = ("least", "most", "preset")

    def __init__(self, least: int, most: int, preset: int) -> None:
        self.least = least
        self.most = most
        self.preset = preset


class Text:
    """A parameter that is a text, `preset` where none is given."""

    __slots__ = ("preset",)

    def __init__(self, preset: str) -> None:
        self.preset = preset


class Options:
    """What the command line asks for."""

    __slots__ = (
        "workload",
        "size",
        "seed",
        "threads",
        "inputs",
        "parameters",
        "texts",
        "iterations",
        "max_seconds",
        "count",
        "lines",
        "until_told",
    )

    def __init__(self) -> None:
        self.workload = "classic"
        self.size = "unnamed"
        self.seed = 1
        self.threads = 1
        self.inputs: List[str] = []
        self.parameters: Dict[str, int] = {}
        self.texts: Dict[str, str] = {}  # the parameters that are no integers
        self.iterations = float("inf")
        self.max_seconds = float("inf")
        self.count = False
        self.lines = False
        self.until_told = False


def main(
    *,
    name: str,
    workloads: Sequence[str],
    load: Callable[[Options], State],
    prepare: Callable[[State], Work],
    run: Callable[[Work], Result],
    count: Callable[[Work], Tuple[Result, Dict[str, int]]],
    digest: Callable[[Result], int],
    tier: str = "standard",
    parameters: Mapping[str, Union[Parameter, Text]] = {},
    inputs: int = 0,
    max_threads: int = 1,
    metrics: Union[Callable[[Result], Json], None] = None,
    samples: Union[Callable[[Result], Iterable[Mapping[str, Json]]], None] = None,
) -> NoReturn:
    """Carry out a program as its command line asks, and end the process.

    `load` runs once, `prepare` and `digest` untimed around each iteration, `run` is timed;
    `count` stands in its place under --count and gives the result and the counters; under --lines
    it is `run` whose lines are counted. `digest` gives
    FNV-1a of the answer. `metrics` gives {name: {"value", "unit"}} for the iteration's line,
    `samples` the members of `sample` lines. `inputs` is how many --input the program takes.
    """

    def iterate(work: Work, index: int) -> None:
        counters = None
        started_ns = time.monotonic_ns()
        cpu_started_ns = cpu_clock_ns()
        if options.count:
            result, counters = count(work)
        elif line_counter is not None:
            result = line_counter.counted(run, work)
        else:
            result = run(work)
        cpu_ns = cpu_clock_ns() - cpu_started_ns
        wall_ns = time.monotonic_ns() - started_ns
        line: Dict[str, Json] = {
            "index": index,
            "started_monotonic_ns": started_ns,
            "wall_ns": wall_ns,
            "cpu_ns": cpu_ns,
            "digest": f"{digest(result):016x}",
        }
        if metrics is not None:
            line["metrics"] = metrics(result)
        output.say("iteration", line)
        if samples is not None:
            for sample in samples(result):
                output.say("sample", sample)
        if counters is not None:
            output.say("operations", {"counters": counters})
        if line_counter is not None:
            for told in line_counter.events():
                output.say("lines", told)

    output = Output()
    line_counter = None
    try:
        options = parse_options(sys.argv[1:], workloads, parameters, inputs)
        if options.lines:
            # Whoever is timed does not pay for it.
            from harness.python.lines import LineCounter, program_folder  # noqa: PLC0415

            line_counter = LineCounter(program_folder())
        started_ns = time.monotonic_ns()
        output.say(
            "start",
            {
                "contract": CONTRACT_VERSION,
                "benchmark": name,
                "language": "python",
                "tier": tier,
                "workload": options.workload,
                "size": options.size,
                "seed": options.seed,
                "runtime": f"{sys.implementation.name} {' '.join(sys.version.split())}",
                "threads": min(options.threads, max_threads),
                "processors": processors(),
                "monotonic_ns": started_ns,
                "realtime_ns": time.time_ns(),
                "cpu_clock_resolution_ns": cpu_clock_resolution_ns(),
                "effective": effective(),
            },
        )
        deadline_ns = started_ns + options.max_seconds * 1e9
        state = load(options)
        output.flush()
        index = 0
        while True:
            iterate(prepare(state), index)
            index += 1
            if index >= options.iterations or time.monotonic_ns() >= deadline_ns:
                break
            if options.until_told and input_ended():
                break
            output.flush_if_due()
        output.say("end", {"iterations": index})
        output.flush()
    except UsageError as error:
        sys.stderr.write(f"{name}: {error}\n")
        sys.exit(2)
    sys.exit(0)


def read_input(path: str) -> bytes:
    """Read an input file whole. Raises UsageError where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"--input {quoted(path)} cannot be read: {error.strerror}") from error


class SplitMix64:
    """SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)."""

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        """Draw an integer of 64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK_64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK_64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK_64
        return z ^ (z >> 31)

    def bounded(self, n: int) -> int:
        """Draw an integer of [0, n), for 1 <= n < 2**32."""
        return (self.next() >> 32) % n

    def shuffle(self, elements: MutableSequence[Element]) -> None:
        """Shuffle in place."""
        for i in range(len(elements) - 1, 0, -1):
            j = self.bounded(i + 1)
            elements[i], elements[j] = elements[j], elements[i]


def fnv1a(data: bytes, digest: int = FNV_OFFSET) -> int:
    """FNV-1a of 64 bits; `digest` is that of the bytes before, where there were some."""
    for byte in data:
        digest = (digest ^ byte) * FNV_PRIME & MASK_64
    return digest


class Output:
    """Lines for standard output, kept until they are due or the program ends."""

    def __init__(self) -> None:
        self.lines: List[bytes] = []
        self.written_ns = time.monotonic_ns()

    def say(self, event: str, members: Mapping[str, Json]) -> None:
        # A byte of the command line that is no UTF-8 is a lone surrogate inside Python, whose
        # "backslashreplace" happens to be its JSON escape.
        line = json({"event": event, **members}) + "\n"
        self.lines.append(line.encode("utf-8", "backslashreplace"))

    def flush_if_due(self) -> None:
        """Write if the last time is long enough ago. To be called between iterations."""
        if time.monotonic_ns() - self.written_ns >= WRITE_INTERVAL_NS:
            self.flush()

    def flush(self) -> None:
        """Write all lines."""
        sys.stdout.buffer.write(b"".join(self.lines))
        sys.stdout.buffer.flush()
        self.lines.clear()
        self.written_ns = time.monotonic_ns()


ESCAPES = {code: f"\\u{code:04x}" for code in range(32)}
ESCAPES.update({ord('"'): '\\"', ord("\\"): "\\\\"})


def quoted(text: str) -> str:
    """Quote a text as JSON does, so that a message that holds it remains one line."""
    return f'"{text.translate(ESCAPES)}"'


def json(value: Json) -> str:
    """Write a value as JSON."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json(key)}:{json(value[key])}" for key in value) + "}"
    return "[" + ",".join(json(element) for element in value) + "]"


def parse_options(  # noqa: PLR0912, PLR0915 - a branch an option, and nothing else
    words: Sequence[str],
    workloads: Sequence[str],
    parameters: Mapping[str, Union[Parameter, Text]],
    inputs: int,
) -> Options:
    """Read the command line. Raises UsageError."""
    options = Options()
    for name, parameter in parameters.items():
        if isinstance(parameter, Text):
            options.texts[name] = parameter.preset
        else:
            options.parameters[name] = parameter.preset
    iterations = None
    remaining = iter(words)
    for option in remaining:
        if option == "--count":
            options.count = True
            continue
        if option == "--lines":
            options.lines = True
            continue
        if option not in OPTIONS:
            raise UsageError(
                f"unknown option {quoted(option)}; the options are {', '.join(OPTIONS)}"
            )
        value = next(remaining, "--")
        if value.startswith("--"):
            raise UsageError(f"{option} needs a value after it")
        if option == "--workload":
            options.workload = one_of(value, workloads, "workload")
        elif option == "--size":
            options.size = value
        elif option == "--seed":
            options.seed = integer(value, 0, MASK_64, option)
        elif option == "--threads":
            options.threads = integer(value, 1, MOST_THREADS, option)
        elif option == "--input":
            options.inputs.append(value)
        elif option == "--param":
            name, equals, written = value.partition("=")
            if not equals:
                raise UsageError(f"{option} takes NAME=VALUE, not {quoted(value)}")
            parameter = parameters[one_of(name, parameters, "parameter")]
            if isinstance(parameter, Text):
                options.texts[name] = written
            else:
                options.parameters[name] = integer(
                    written, parameter.least, parameter.most, f"{option} {name}"
                )
        elif option == "--iterations":
            iterations = integer(value, 0, GREATEST_INTEGER, option)
        elif option == "--max-seconds":
            options.max_seconds = decimal(value, option)
    if len(options.inputs) != inputs:
        raise UsageError(f"takes {inputs} --input PATH, not {len(options.inputs)}")
    if options.count and options.lines:
        raise UsageError("--count counts other code than --lines: drop one")
    options.until_told = iterations == 0 and not (options.count or options.lines)
    if options.count or options.lines:
        options.iterations = 1
    elif iterations:
        options.iterations = iterations
    elif iterations is None and options.max_seconds == float("inf"):
        options.iterations = 1
    return options


OPTIONS = (
    "--workload",
    "--size",
    "--seed",
    "--threads",
    "--input",
    "--param",
    "--iterations",
    "--max-seconds",
    "--count",
    "--lines",
)


def one_of(name: str, known: Iterable[str], what: str) -> str:
    if name in known:
        return name
    if not known:
        raise UsageError(f"has no {what}s; leave {quoted(name)} out")
    raise UsageError(f"unknown {what} {quoted(name)}; it is one of {', '.join(known)}")


def integer(value: str, least: int, most: int, what: str) -> int:
    # int() alone would also take "+1", "1_0" and " 1", and raises beyond 4,300 digits.
    if value.isascii() and value.isdigit() and len(value) <= 40 and least <= int(value) <= most:
        return int(value)
    raise UsageError(f"{what} takes an integer from {least} to {most}, not {quoted(value)}")


def decimal(value: str, what: str) -> float:
    """Read a decimal number of seconds, whose nanoseconds stay below 2**63."""
    whole, point, fraction = value.partition(".")
    if value.isascii() and whole.isdigit() and (fraction.isdigit() or not point):
        seconds = float(value)
        if seconds < 2**63 / 1e9:
            return seconds
    raise UsageError(f"{what} takes a decimal number such as 2.5, not {quoted(value)}")


def input_ended() -> bool:
    """Tell, without waiting, whether standard input has ended."""
    if sys.stdin is None:  # closed before the process began
        return True
    while select.select([0], [], [], 0)[0]:
        if not os.read(0, 4096):
            return True
    return False


def cpu_clock_ns() -> int:
    """User and system time of the process's threads and of its reaped children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + round((children.ru_utime + children.ru_stime) * 1e9)


def cpu_clock_resolution_ns() -> int:
    return max(1, round(time.get_clock_info("process_time").resolution * 1e9))


def processors() -> int:
    """Tell how many processors affinity leaves: os.cpu_count does not heed it."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    # PyPy has no such function; the kernel tells the mask in words of hexadecimal digits.
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        masks = [line.split()[1] for line in status if line.startswith("Cpus_allowed:")]
    return sum(bin(int(word, 16)).count("1") for word in masks[0].split(","))


def effective() -> Dict[str, Json]:
    """Tell what is in force in this interpreter."""
    if sys.implementation.name == "cpython":
        return effective_in_cpython()
    if sys.implementation.name == "pypy":
        return effective_in_pypy()
    return {}


def effective_in_cpython() -> Dict[str, Json]:
    build = {name: str(sysconfig.get_config_var(name) or "") for name in BUILD_VARIABLES}
    told = build["CONFIG_ARGS"]
    level = [flag for flag in build["PY_CFLAGS"].split() if flag.startswith("-O")]
    facts: Dict[str, Json] = {
        "optimisation": level[-1] if level else "unknown",
        "assertions": hasattr(sys, "gettotalrefcount") or "-DNDEBUG" not in build["PY_CFLAGS"],
        "build_flags": told,
    }
    # The makefile of every build by gcc or clang names these flags, whether it uses them or not. A
    # distribution that strips them from the installed copy (Debian) hides what it built with, and
    # then nothing is said rather than something false.
    known = bool(build["PGO_PROF_USE_FLAG"])
    if known or "--enable-optimizations" in told:
        facts["pgo"] = "--enable-optimizations" in told
    if known or "--with-lto" in told:
        facts["lto"] = "--with-lto" in told and "--with-lto=no" not in told
    gil_enabled = getattr(sys, "_is_gil_enabled", None)
    facts["gil"] = gil_enabled() if gil_enabled is not None else True
    # CPython tells since 3.14; before, how it was built is the best that is known.
    jit = getattr(sys, "_jit", None)
    facts["jit"] = jit.is_enabled() if jit is not None else "--enable-experimental-jit" in told
    facts["execution"] = "mixed" if facts["jit"] else "interpreted"
    facts["flags"] = interpreter_options()
    return facts


BUILD_VARIABLES = ("CONFIG_ARGS", "PGO_PROF_USE_FLAG", "PY_CFLAGS")


def effective_in_pypy() -> Dict[str, Json]:
    built: Dict[str, Scalar] = getattr(sys, "pypy_translation_info", {})
    flags = interpreter_options()
    jit = bool(built.get("translation.jit")) and "--jit off" not in flags
    return {
        "pgo": bool(built.get("translation.profopt")),
        "lto": bool(built.get("translation.lto")),
        "assertions": bool(built.get("translation.lldebug")),
        "collector": str(built.get("translation.gc", "")),
        "gil": True,
        "jit": jit,
        "execution": "mixed" if jit else "interpreted",
        "flags": flags,
    }


def interpreter_options() -> str:
    """The words between the interpreter and the program on the process's own command line."""
    with open("/proc/self/cmdline", "rb") as file:
        words = file.read().decode("utf-8", "surrogateescape").split("\0")[1:-1]
    # The program's own words are the last; before them stands "-m MODULE" or the script's path.
    own = words[: len(words) - len(sys.argv[1:])]
    return " ".join(own[:-2] if own[-2:-1] == ["-m"] else own[:-1])
