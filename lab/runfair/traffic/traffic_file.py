"""Reads the load generator's own traffic files, to compare a replay with its recording.

Source: `loadgen/schemas/traffic.schema.json`. Fields (`${sequence}`) are not filled in.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from typing import Any

from runfair.traffic.request import NS_PER_S, CapturedRequest, Headers, span_ns, target_of
from runfair.traffic.source import Source, encoded, json_object

BODIES = {"body", "body_base64", "body_json"}
KEYS = {"method", "path", "headers", "weight", "at_ns", "at_s", "expect"} | BODIES

NOT_READ = "lines that are not a request of a traffic file were left out"
FIELDS = "requests contain fields such as ${sequence}, which the comparison treats as ordinary text"


def recognises(source: Source) -> bool:
    entry = json_object(next(iter(source.whole_lines), ""))
    return entry is not None and "path" in entry and set(entry) <= KEYS


def recognises_timed(source: Source) -> bool:
    entry = json_object(next(iter(source.whole_lines), ""))
    return recognises(source) and entry is not None and bool({"at_ns", "at_s"} & set(entry))


def read(source: Source) -> Iterator[CapturedRequest]:
    for place, entry in source.objects():
        path, method = entry.get("path"), entry.get("method", "GET")
        body = _body(entry)
        if not isinstance(path, str) or not isinstance(method, str) or body is None:
            source.notes.count(NOT_READ, place)
            continue
        found = target_of(_plain(path))
        if found is None:
            source.notes.count(NOT_READ, place)
            continue
        if _has_fields(path) or (isinstance(entry.get("body"), str) and _has_fields(entry["body"])):
            source.notes.count(FIELDS, place)
        at_ns = span_ns(entry.get("at_ns"), 1)
        if at_ns is None:
            at_ns = span_ns(entry.get("at_s"), NS_PER_S)
        yield CapturedRequest(at_ns, method, found.path, _headers(entry.get("headers")), body)


def _body(entry: dict[str, Any]) -> bytes | None:
    text, coded = entry.get("body"), entry.get("body_base64")
    if isinstance(text, str):
        return encoded(_plain(text))
    if isinstance(coded, str):
        try:
            return base64.b64decode(encoded(coded) or b"!", validate=True)
        except binascii.Error:
            return None
    if "body_json" in entry:
        # This is the form in which the generator itself writes the value.
        compact = json.dumps(
            entry["body_json"], separators=(",", ":"), sort_keys=True, ensure_ascii=False
        )
        return encoded(_plain(compact))
    return b""


def _headers(found: object) -> Headers:
    pairs = list(found.items()) if isinstance(found, dict) else found
    return tuple(
        (pair[0], _plain(pair[1]))
        for pair in (pairs if isinstance(pairs, list) else ())
        if isinstance(pair, list | tuple)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and isinstance(pair[1], str)
    )


def _plain(text: str) -> str:
    return text.replace("$${", "${")


def _has_fields(text: str) -> bool:
    return "${" in text.replace("$${", "")
