"""A capture of production traffic. The format of a capture is recognised by its content."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runfair.errors import UserMistake
from runfair.traffic import (
    access_log,
    goreplay,
    har,
    json_log,
    k6,
    packet_capture,
    traffic_file,
    vegeta,
)
from runfair.traffic.request import NS_PER_S, CapturedRequest
from runfair.traffic.source import Notes, Source

Reader = Callable[[Source], Iterator[CapturedRequest]]


@dataclass(frozen=True)
class Format:
    """A format of captures. `timed` says whether its requests have times; `resolution_ns` is the
    resolution of these times.
    """

    name: str
    recognises: Callable[[Source], bool]
    read: Reader
    timed: bool = True
    resolution_ns: int = 1


# The formats in the order in which they are tried. Formats with a signature come first.
FORMATS = (
    Format("pcap", packet_capture.is_pcap, packet_capture.read),
    Format("pcapng", packet_capture.is_pcapng, packet_capture.read),
    Format("GoReplay", goreplay.recognises, goreplay.read),
    Format("HAR", har.recognises, har.read),
    Format("k6 JSON output", k6.recognises, k6.read),
    Format("vegeta targets (JSON)", vegeta.recognises_json, vegeta.read_json, timed=False),
    Format("traffic file", traffic_file.recognises_timed, traffic_file.read),
    Format("traffic file", traffic_file.recognises, traffic_file.read, timed=False),
    Format(
        *("JSON access log", json_log.recognises_coarse, json_log.read_coarse),
        resolution_ns=NS_PER_S,
    ),
    Format("JSON access log", json_log.recognises, json_log.read),
    Format("access log", access_log.recognises_exact, access_log.read),
    Format("access log", access_log.recognises, access_log.read_coarse, resolution_ns=NS_PER_S),
    Format("vegeta targets", vegeta.recognises_http, vegeta.read_http, timed=False),
)

KNOWN = (
    "HAR, access logs (common, combined, JSON), pcap and pcapng, GoReplay, k6's JSON output, "
    "vegeta targets and traffic files"
)


@dataclass
class Capture:
    """A capture. The requests of a capture are read once, on demand. The notes are complete after
    the last request was read.
    """

    format: str
    requests: Iterator[CapturedRequest]
    timed: bool = True
    resolution_ns: int = 1
    _sources: list[tuple[str, Notes]] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        """Notes on what the file does not contain, and on what was left out and why."""
        return [f"{label}{line}" for label, notes in self._sources for line in notes.lines]


def read_capture(path: Path) -> Capture:
    """The capture in one file. Raises UserMistake if the file cannot be read or its format is
    unknown. Reading the requests raises the same error if a file that it refers to is missing.
    """
    source = _source(path)
    for known in FORMATS:
        if known.recognises(source):
            return Capture(
                known.name,
                _reported(path, known.read(source)),
                known.timed,
                known.resolution_ns,
                [("", source.notes)],
            )
    raise UserMistake(f"{path}: {_unknown(source)}")


def read_captures(paths: Sequence[Path]) -> Capture:
    """Several files as one capture, for example a log and its rotated predecessors.

    Each note begins with the name of its file. Raises UserMistake in the same cases as
    `read_capture`, and if only some of the captures have times.
    """
    if len(paths) == 1:
        return read_capture(paths[0])
    captures = [read_capture(path) for path in paths]
    if not captures:
        raise UserMistake("name at least one file to read")
    if len({capture.timed for capture in captures}) > 1:
        untimed = next(str(p) for p, c in zip(paths, captures, strict=True) if not c.timed)
        raise UserMistake(
            f"{untimed} contains no times, but other files of the capture contain times; "
            "convert this file separately"
        )
    return Capture(
        " + ".join(dict.fromkeys(capture.format for capture in captures)),
        (request for capture in captures for request in capture.requests),
        captures[0].timed,
        max(capture.resolution_ns for capture in captures),
        [
            (f"{path}: ", notes)
            for path, capture in zip(paths, captures, strict=True)
            for _, notes in capture._sources
        ],
    )


def _source(path: Path) -> Source:
    try:
        if path.is_dir():
            raise UserMistake(f"{path} is a folder; name the files in the folder")
        if path.exists() and not path.is_file():
            raise UserMistake(
                f"{path} is not a regular file, and runfair must read a capture twice; save the "
                "content to a file first"
            )
        source = Source.of(path)
    except (OSError, ValueError) as failure:
        reason = (
            os.strerror(failure.errno) if isinstance(failure, OSError) and failure.errno else ""
        )
        raise UserMistake(f"{path} cannot be read: {reason or failure}") from None
    if not source.head:
        raise UserMistake(f"{path} is empty")
    return source


def _reported(path: Path, requests: Iterator[CapturedRequest]) -> Iterator[CapturedRequest]:
    """Turns an error while reading a file (such as a lost disk) into UserMistake."""
    try:
        yield from requests
    except OSError as failure:
        reason = os.strerror(failure.errno or errno.EIO)
        raise UserMistake(f"{path} cannot be read to its end: {reason}") from None


def _unknown(source: Source) -> str:
    """The message for a file of unknown format. The message says what the file looks like, and what
    to do."""
    if source.head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")):
        return "is compressed; uncompress the file first"
    start = source.start
    if "k6/http" in start:
        return (
            "is a k6 script, which runfair does not run; give the output of `k6 run --out "
            "json=FILE`"
        )
    if "\0" in start or start.count("\ufffd") > len(start) // 10:
        return f"has a binary format that runfair cannot read; runfair reads {KNOWN}"
    return f"has a format that runfair cannot read; runfair reads {KNOWN}"
