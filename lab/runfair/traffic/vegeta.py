"""A reader of vegeta's target files, in the http format and in the JSON format.

Source: vegeta's README (`-format`) and its JSON schema of a target. Targets have no times: vegeta
sends them in turn, at a rate given on its command line.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runfair.errors import UserMistake
from runfair.traffic.http1 import LARGEST_BODY
from runfair.traffic.request import CapturedRequest, Headers, Target, target_of
from runfair.traffic.source import Notes, Source, encoded, json_object

_TARGET = re.compile(r"([A-Z]{1,32})[ \t]+(\S+)[ \t\r]*")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)")

KEYS = {"method", "url", "body", "header"}
NO_TARGET = "targets whose address is not an HTTP address were left out"
NO_LINE = "lines that are not part of a target were left out"


def recognises_http(source: Source) -> bool:
    lines = (line for line in source.whole_lines if line.strip() and not line.startswith("#"))
    found = _TARGET.fullmatch(next(lines, ""))
    return found is not None and _absolute(found[2]) is not None


def read_http(source: Source) -> Iterator[CapturedRequest]:
    """The requests of a file in the http format. Raises UserMistake if a body's file cannot be
    read.
    """
    begun: re.Match[str] | None = None
    headers: list[tuple[str, str]] = []
    body = b""
    for number, line in source.lines():
        place = f"line {number}"
        if line.startswith("#"):
            continue
        target = _TARGET.fullmatch(line)
        header = _HEADER.fullmatch(line)
        if target is not None:
            yield from _finished(begun, headers, body, source.notes, place)
            begun, headers, body = target, [], b""
        elif line.startswith("@") and begun is not None:
            body = _body_file(source.path, line[1:].strip(), place)
        elif header is not None and begun is not None:
            headers.append((header[1], header[2].strip()))
        else:
            source.notes.count(NO_LINE, place)
    yield from _finished(begun, headers, body, source.notes, "the last")


def recognises_json(source: Source) -> bool:
    entry = json_object(next(iter(source.whole_lines), ""))
    return entry is not None and {"method", "url"} <= set(entry) <= KEYS


def read_json(source: Source) -> Iterator[CapturedRequest]:
    for place, entry in source.objects():
        method, url = entry.get("method"), entry.get("url")
        target = _absolute(url) if isinstance(url, str) else None
        body = _decoded(entry.get("body"))
        if target is None or not isinstance(method, str) or body is None:
            source.notes.count(NO_TARGET if body is not None else NO_LINE, place)
            continue
        yield CapturedRequest(
            None, method, target.path, _with_host(target, _header_lists(entry.get("header"))), body
        )


def _finished(
    begun: re.Match[str] | None,
    headers: list[tuple[str, str]],
    body: bytes,
    notes: Notes,
    place: str,
) -> Iterator[CapturedRequest]:
    if begun is None:
        return
    target = _absolute(begun[2])
    if target is None:
        notes.count(NO_TARGET, f"before {place}")
        return
    yield CapturedRequest(None, begun[1], target.path, _with_host(target, headers), body)


def _absolute(url: str) -> Target | None:
    target = target_of(url)
    return target if target is not None and target.host is not None else None


def _with_host(target: Target, headers: list[tuple[str, str]]) -> Headers:
    own = [] if any(n.lower() == "host" for n, _ in headers) else [("Host", target.host or "")]
    return (*own, *headers)


def _body_file(targets: Path, name: str, place: str) -> bytes:
    """The file that contains a body. The name of the body's file is relative to the folder of the
    targets or, as in vegeta, to the working folder.
    """
    mistake = UserMistake(
        f"{targets}: the body file {name!r} of {place} cannot be read; run the command in the "
        "folder to which the file's path is relative"
    )
    try:
        for path in (targets.parent / name, Path(name)):
            if path.is_file():
                if path.stat().st_size > LARGEST_BODY:
                    raise UserMistake(
                        f"{targets}: the body file {name!r} of {place} has more than "
                        f"{LARGEST_BODY:,} bytes, the most that runfair reads; leave this target "
                        "out"
                    )
                return path.read_bytes()
    except (OSError, ValueError):  # ValueError: a name with a NUL
        raise mistake from None
    raise mistake


def _decoded(body: object) -> bytes | None:
    if body is None:
        return b""
    text = encoded(body) if isinstance(body, str) else None
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def _header_lists(found: object) -> list[tuple[str, str]]:
    lists: dict[str, Any] = found if isinstance(found, dict) else {}
    return [
        (name, value)
        for name, values in lists.items()
        if isinstance(values, list)
        for value in values
        if isinstance(value, str)
    ]
