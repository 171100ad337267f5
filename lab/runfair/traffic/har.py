"""A reader of HAR 1.2 (HTTP Archive), as browsers and proxies export it.

Source: the HAR 1.2 specification. The file is one JSON object. The entries of the file are read one
by one, so that the complete entries of a truncated file can be used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from runfair.traffic.request import CapturedRequest, Headers, any_ns, number_of, span_ns, target_of
from runfair.traffic.source import Notes, Source, encoded

CHUNK = 1 << 16  # characters
LARGEST_ENTRY = 1 << 26  # characters; an entry contains the recorded answer

_START = re.compile(r'\s*\{\s*"log"\s*:\s*\{')
_ENTRIES = re.compile(r'"entries"\s*:\s*\[')
_SEPARATOR = re.compile(r"[\s,]*")

FORM = "application/x-www-form-urlencoded"
NS_PER_MS = 1_000_000

CUT_OFF = "the file ends in the middle of an entry, so only the earlier entries were read"
DAMAGED = "an entry is not valid JSON, so only the earlier entries were read"
TOO_LONG = "an entry is too long to be read, so only the earlier entries were read"
NO_REQUEST = "entries that are not HTTP requests (data:, websockets, extensions) were left out"
NO_BODY = (
    "requests have a body that cannot be replayed, because the file does not contain this body"
)


def recognises(source: Source) -> bool:
    return _START.match(source.start) is not None


def read(source: Source) -> Iterator[CapturedRequest]:
    for number, entry in enumerate(_entries(source), 1):
        request = _request(entry, source.notes, f"entry {number}")
        if request is None:
            source.notes.count(NO_REQUEST, f"entry {number}")
        else:
            yield request


def _entries(source: Source) -> Iterator[object]:
    decoder = json.JSONDecoder()
    with source.text() as file:
        text = ""
        while (start := _ENTRIES.search(text)) is None:
            more = file.read(CHUNK)
            if not more or len(text) > LARGEST_ENTRY:
                source.notes.say("the file has no entries")
                return
            text += more
        text, wanted = text[start.end() :], CHUNK
        while True:
            at = _SEPARATOR.match(text).end()  # type: ignore[union-attr]  # matches everywhere
            if text.startswith("]", at):
                return
            try:
                entry, end = decoder.raw_decode(text, at)
            except RecursionError:
                source.notes.say(DAMAGED)
                return
            except ValueError:
                # Most likely the entry is incomplete. Doubling the amount read keeps the work
                # linear.
                more = file.read(wanted)
                if not more:
                    source.notes.say(DAMAGED if "]" in text[at:] else CUT_OFF)
                    return
                if len(text) > LARGEST_ENTRY:
                    source.notes.say(TOO_LONG)
                    return
                text, wanted = text[at:] + more, wanted * 2
            else:
                text, wanted = text[end:], CHUNK
                yield entry


def _request(entry: object, notes: Notes, place: str) -> CapturedRequest | None:
    found = _object(_object(entry).get("request"))
    answer = _object(_object(entry).get("response"))
    url, method = found.get("url"), found.get("method")
    target = target_of(url) if isinstance(url, str) else None
    if target is None or not isinstance(method, str):
        return None
    status = _whole(answer.get("status"))
    answer_bytes = _whole(answer.get("bodySize"))
    # -1 means that the size is unknown, and a cached answer has 0; the content's size is then used
    if not answer_bytes:
        answer_bytes = _whole(_object(answer.get("content")).get("size"))
    body = _body(found)
    if body is None:
        notes.count(NO_BODY, place)
    began = _object(entry).get("startedDateTime")
    return CapturedRequest(
        any_ns(began) if isinstance(began, str) else None,
        method.upper(),
        target.path,
        _headers(found.get("headers"), target.host),
        body,
        status or None,  # 0 means that no answer arrived
        answer_bytes,
        span_ns(_object(entry).get("time"), NS_PER_MS),
    )


def _headers(found: object, host: str | None) -> Headers:
    headers = []
    for header in found if isinstance(found, list) else []:
        name, value = _object(header).get("name"), _object(header).get("value")
        # HTTP/2's pseudo-headers (":authority") repeat the request line.
        if isinstance(name, str) and isinstance(value, str) and not name.startswith(":"):
            headers.append((name, value))
    if host is not None and all(name.lower() != "host" for name, _ in headers):
        headers.insert(0, ("Host", host))
    return tuple(headers)


def _body(request: dict[str, Any]) -> bytes | None:
    posted = _object(request.get("postData"))
    text, params = posted.get("text"), posted.get("params")
    if isinstance(text, str) and text:
        return encoded(text)
    if isinstance(params, list) and params:
        kind = posted.get("mimeType")
        if not isinstance(kind, str) or not kind.startswith(FORM):
            return None  # the parts of a multipart body, without the text between them
        pairs = [(_object(param).get("name"), _object(param).get("value")) for param in params]
        named = [(encoded(str(n)), encoded(str(v or ""))) for n, v in pairs if n is not None]
        known = [(name, value) for name, value in named if name is not None and value is not None]
        return urlencode(known).encode("ascii") if len(known) == len(pairs) else None
    return None if (_whole(request.get("bodySize")) or 0) > 0 else b""


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: object) -> int | None:
    number = number_of(value)
    return None if number is None or number < 0 else int(number)
