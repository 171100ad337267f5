"""The command line that made a result. The command line supplies facts that the result itself does
not contain.

The options come from the tools' own help texts; options that do not matter to an audit are ignored.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from runfair.formats.foreign.autocannon import ADDED
from runfair.formats.foreign.printed import count, duration_ns, metric, number
from runfair.formats.foreign.result import ForeignResult, Loop

_PROMPT = re.compile(r"^[ \t]*(?:[\w.@:~/-]*[$%#>][ \t]+)?")

# tool: {option: meaning of its value}. Every option in this table takes a value.
_OPTIONS: dict[str, dict[str, str]] = {
    "wrk": {
        **dict.fromkeys(("-c", "--connections"), "connections"),
        **dict.fromkeys(("-d", "--duration"), "duration"),
        **dict.fromkeys(("-R", "--rate"), "rate"),
    },
    "vegeta": {
        "-rate": "rate",
        "-duration": "duration",
        "-max-workers": "most_workers",
    },
    "k6": {
        **dict.fromkeys(("-u", "--vus"), "connections"),
        **dict.fromkeys(("-d", "--duration"), "duration"),
        "--rps": "most_rate",
    },
    "oha": {"-c": "connections", "-z": "duration", "-q": "rate", "-n": "requests"},
    "autocannon": {
        **dict.fromkeys(("-c", "--connections"), "connections"),
        **dict.fromkeys(("-d", "--duration"), "duration"),
        **dict.fromkeys(("-R", "--overallRate"), "rate"),
        **dict.fromkeys(("-r", "--connectionRate"), "rate_each"),
        **dict.fromkeys(("-W", "--warmup"), "warmup"),
        **dict.fromkeys(("-p", "--pipelining"), "streams"),
    },
    "fortio": {"-c": "connections", "-qps": "rate", "-t": "duration"},
    "h2load": {
        **dict.fromkeys(("-c", "--clients"), "connections"),
        **dict.fromkeys(("-D", "--duration"), "duration"),
        **dict.fromkeys(("-m", "--max-concurrent-streams"), "streams"),
        "--warm-up-time": "warmup",
        "--rps": "rate_each",
    },
    "hey": {"-c": "connections", "-q": "rate_each", "-z": "duration", "-n": "requests"},
    "ab": {"-c": "connections", "-t": "duration", "-n": "requests"},
    "bombardier": {
        **dict.fromkeys(("-c", "--connections"), "connections"),
        **dict.fromkeys(("-d", "--duration"), "duration"),
        **dict.fromkeys(("-r", "--rate"), "rate"),
    },
    "locust": {
        **dict.fromkeys(("-u", "--users"), "connections"),
        **dict.fromkeys(("-t", "--run-time"), "duration"),
    },
    "hyperfine": {**dict.fromkeys(("-w", "--warmup"), "warmups")},
    "jmh": {"-f": "executions", "-wi": "warmups", "-i": "iterations"},
}
_DEFAULTS: dict[str, dict[str, str]] = {
    "vegeta": {"rate": "50"},
    "hey": {"connections": "50"},
    "oha": {"connections": "50"},
    "autocannon": {"streams": "1"},
    "h2load": {"streams": "1"},
}
"""The defaults of each tool, as far as they matter to a result."""

_SWITCHES: dict[str, dict[str, str]] = {
    "autocannon": dict.fromkeys(("-C", "--ignoreCoordinatedOmission"), "uncorrected"),
    "oha": {"--latency-correction": "corrected"},
    "locust": {"--reset-stats": "reset"},
}
_RATED = ("oha", "autocannon", "h2load", "hey", "bombardier")
"""Tools whose connections wait for answers, and that keep a rate only if an option sets it."""

_TOOLS = {"bombardier": "bombardier", "locust": "Locust", "jmh": "JMH", "go": "go test"}
MOST_LINES_ABOVE = 20
"""The greatest length of the output that a tool prints before its result (ab and k6 print most)."""

_VEGETA_EACH = re.compile(r"(\d+)/(\d*)([a-zµ]+)")


class Contradiction(ValueError):
    """A command line that cannot have made the result; the message says why."""


@dataclass(frozen=True)
class CommandLine:
    """A parsed command line. `text` is the line as given, `tool` the tool's name as results use it.
    `told` holds the values of the options, by the options' meaning."""

    text: str
    tool: str
    told: Mapping[str, str] = field(default_factory=dict)


def read(text: str) -> CommandLine | None:
    """The first command of a known tool in a shell line; None if there is none."""
    line = _PROMPT.sub("", text.strip(), count=1).replace("\\\n", " ")
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    for place, word in enumerate(words):
        name = _name(word, words[place + 1 :])
        if name is not None:
            rest = words[place + 1 :]
            ended = next((i for i, each in enumerate(rest) if each in ("|", ";", "&&")), len(rest))
            told = _DEFAULTS.get(name, {}) | _told(name, rest[:ended])
            tool = _TOOLS.get(name, name)
            return CommandLine(
                text.strip(), "wrk2" if name == "wrk" and "rate" in told else tool, told
            )
    return None


def _name(word: str, following: list[str]) -> str | None:
    """The tool that this word of a command starts, by its name in `_OPTIONS`."""
    base = PurePosixPath(word).name
    if base == "wrk2":
        return "wrk"
    if base == "vegeta" and "attack" not in following:
        return None
    if base.endswith(".jar") or base == "org.openjdk.jmh.Main":
        return "jmh"
    return base if base in _OPTIONS else None


def _told(name: str, words: list[str]) -> dict[str, str]:
    options, switches = _OPTIONS[name], _SWITCHES.get(name, {})
    told: dict[str, str] = {}
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        # Options of tools written in Go take one dash or two.
        option = option if option in options else option.replace("--", "-", 1)
        if word in switches:
            told[switches[word]] = "yes"
        elif option in options and equals:
            told[options[option]] = value
        elif option in options and place + 1 < len(words):
            told[options[option]] = words[place + 1]
        elif word[:2] in options and len(word) > 2 and word[2].isdigit():
            told[options[word[:2]]] = word[2:]
    return told


def completed(result: ForeignResult, command: CommandLine) -> ForeignResult:
    """The result, completed from the command line. Raises Contradiction."""
    if command.tool != result.tool:
        raise Contradiction(
            f"the result is from {result.tool}, but the command line starts {command.tool}"
        )
    told = command.told
    connections = _connections(result, told)
    if "streams" in told:
        conditions = result.conditions | {"pipelining": told["streams"]}
        result = result.model_copy(update={"conditions": conditions})
    result = _load(result, told, connections) if result.kind == "load" else result
    update: dict[str, object] = {"conditions": result.conditions | {"command": command.text}}
    if result.kind == "benchmark" and "warmups" in told:
        update["warmup_left_out"] = bool(count(told["warmups"]))
        update["basis"] = result.basis | {
            "warmup": f"the tool's command line asks for {told['warmups']} warm-up iterations"
        }
    if "executions" in told and result.executions is None and (forks := count(told["executions"])):
        update["executions"] = forks
        values = result.latencies.counted
        if values and result.latencies.of == "iterations":
            update |= {"iterations": values // forks, "pooled": values > forks}
    return result.model_copy(update=update)


def _connections(result: ForeignResult, told: Mapping[str, str]) -> int | None:
    """The number of connections. A connection may have several requests under way (`streams`).
    Raises Contradiction."""
    stated = count(result.conditions.get("connections", ""))
    stated = result.connections if stated is None else stated
    asked = metric(told.get("connections", ""))
    _require_same("connections", stated, None if asked is None else int(asked))
    stated_streams = count(result.conditions.get("pipelining", ""))
    _require_same("requests on each connection", stated_streams, count(told.get("streams", "")))
    return stated if asked is None else int(asked)


def _require_same(what: str, stated: int | None, asked: int | None) -> None:
    if None not in (stated, asked) and stated != asked:
        raise Contradiction(
            f"the result has {stated} {what}, but the command line asks for {asked}"
        )


def _load(result: ForeignResult, told: Mapping[str, str], connections: int | None) -> ForeignResult:
    rate = _rate_per_s(told, connections)
    if rate and result.offered_rate_per_s and abs(rate / result.offered_rate_per_s - 1) > 0.01:
        raise Contradiction(
            f"the result states an offered rate of {result.offered_rate_per_s:g}/s, but the "
            f"command line states {rate:g}/s"
        )
    basis = dict(result.basis)
    under_way = result.connections
    if connections is not None and (streams := count(told.get("streams", "1"))):
        under_way = connections * streams
    update: dict[str, object] = {"connections": under_way}
    if rate:
        update["offered_rate_per_s"] = rate
    loop: Loop | None = result.loop
    if result.tool == "vegeta":
        loop = _vegeta(told, rate, basis)
    elif result.tool in _RATED and loop == "closed or paced":
        loop = "paced" if rate else "closed"
        basis["loop"] = (
            f"the command line asks for {rate:g}/s from {connections} connections, but each "
            f"{result.stream} sends its next request only when it has the answer to the previous "
            "request"
            if rate
            else (
                f"the tool's command line states no rate, so each {result.stream} sends its next "
                "request as soon as it has an answer"
            )
        )
        if "corrected" in told and rate:
            loop = "open"
            update["timed_from"] = "schedule"
            basis["timed_from"] = "the tool's command line contains --latency-correction"
        elif result.tool == "autocannon" and rate and "uncorrected" not in told:
            update["timed_from"] = None
            basis["added"] = basis["timed_from"] = ADDED
        elif result.tool == "oha":
            update["timed_from"] = "sending"
            basis["timed_from"] = (
                "the command line states no rate, so --latency-correction has no effect"
                if "corrected" in told
                else (
                    "the command line does not contain --latency-correction (with this option and "
                    "a rate, oha starts its clock when a request is due)"
                )
            )
    elif result.tool == "k6" and loop is None and "connections" in told:
        loop = "closed"
        basis["loop"] = (
            f"the command line asks for {told['connections']} users, and each user waits for an "
            "answer before its next request"
        )
    update["loop"] = loop
    if "warmup" in told or "reset" in told:
        update["warmup_left_out"] = True
        basis["warmup"] = (
            f"the tool's command line excludes a warmup with {told.get('warmup', '--reset-stats')}"
        )
    if result.duration_ns is None and "duration" in told:
        update["duration_ns"] = duration_ns(told["duration"], "s")
    return result.model_copy(update=update | {"basis": basis})


def _rate_per_s(told: Mapping[str, str], connections: int | None) -> float | None:
    text = told.get("rate", "")
    every = _VEGETA_EACH.fullmatch(text)
    if every:
        period_ns = duration_ns(f"{every[2] or 1}{every[3]}")
        return float(every[1]) / period_ns * 1e9 if period_ns else None
    if (whole := metric(text)) is not None:
        return whole
    each = number(told.get("rate_each", ""))
    return each.value * connections if each and connections else None


def _vegeta(told: Mapping[str, str], rate: float | None, basis: dict[str, str]) -> Loop | None:
    """vegeta starts workers without limit unless `-max-workers` sets one."""
    most = told.get("most_workers")
    if rate == 0 or told.get("rate") == "infinity":
        basis["loop"] = (
            f"the tool's command line sets no rate and allows at most {most} workers, so the load "
            "was a closed loop"
        )
        return "closed"
    if most is not None:
        basis["loop"] = (
            f"the tool's command line has -max-workers {most}, so a request may wait for a free "
            "worker"
        )
        return "paced"
    if rate is not None:
        basis["loop"] = (
            f"the tool's command line asks for {rate:g}/s, with an unlimited number of workers"
        )
        return "open"
    return None


def preceding(lines: Sequence[str], result: ForeignResult) -> CommandLine | None:
    """The command line shortly above a result, as in text pasted from a terminal. None if there is
    no command line of the same tool, or if it contradicts the result."""
    above = lines[max(0, result.line - 1 - MOST_LINES_ABOVE) : result.line - 1]
    for line in reversed(above):
        command = read(line) if _is_command(line) else None
        if command is None:
            continue
        try:
            completed(result, command)
        except Contradiction:
            return None
        return command
    return None


def _is_command(line: str) -> bool:
    """Whether a line is a command: it follows a prompt or begins with the tool's name. Prose that
    mentions the tool does not have this form."""
    prompt = _PROMPT.match(line)
    words = line[prompt.end() if prompt else 0 :].split()
    typed = bool(prompt and prompt[0].strip())
    return bool(words) and (typed or PurePosixPath(words[0]).name in {*_OPTIONS, "wrk2"})
