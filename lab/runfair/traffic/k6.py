"""A reader of the output of `k6 run --out json=FILE`: points of metrics, as JSON Lines.

Source: k6's documentation of its JSON output. The points of one request are adjacent and begin with
`http_reqs`; all of them have the instant at which the request's answer ended. k6 scripts cannot be
read, because they are programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from runfair.traffic.access_log import WITH_BODY
from runfair.traffic.request import CapturedRequest, any_ns, number_of, span_ns, target_of
from runfair.traffic.source import Source, json_object

NS_PER_MS = 1_000_000
REQUESTS = "http_reqs"
DURATION = "http_req_duration"

NO_HEADERS = (
    "requests were read without headers, bodies and sizes, because k6's output does not "
    "contain them"
)
NO_BODY = (
    "requests whose methods usually have a body were read without a body, because k6 does "
    "not write bodies"
)
NO_URL = (
    "requests were left out, because their address is missing (k6's option `systemTags` "
    "excludes it)"
)
NO_DURATION = (
    "requests have no duration, so it is unknown when they were sent; runfair uses the time at "
    "which the answer ended instead"
)


def recognises(source: Source) -> bool:
    objects = (json_object(line) for line in source.whole_lines[:20])
    return any(
        entry.get("type") in ("Metric", "Point") and "metric" in entry and "data" in entry
        for entry in objects
        if entry is not None
    )


def read(source: Source) -> Iterator[CapturedRequest]:
    notes = source.notes
    notes.say(NO_HEADERS)
    open_request: CapturedRequest | None = None
    open_tags: object = None
    for place, entry in source.objects():
        metric, data = entry.get("metric"), entry.get("data")
        if entry.get("type") != "Point" or not isinstance(data, dict):
            continue
        if metric == REQUESTS:
            if open_request is not None:
                notes.count(NO_DURATION, place)
                yield open_request
            open_request, open_tags = _request(data), data.get("tags")
            if open_request is None:
                notes.count(NO_URL, place)
            elif open_request.body is None:
                notes.count(NO_BODY, place)
        elif metric == DURATION and open_request is not None and data.get("tags") == open_tags:
            yield _timed(open_request, data)
            open_request = None
    if open_request is not None:
        notes.count(NO_DURATION)
        yield open_request


def _request(data: dict[str, Any]) -> CapturedRequest | None:
    tags = data.get("tags")
    if not isinstance(tags, dict):
        return None
    method, url = tags.get("method"), tags.get("url", tags.get("name"))
    target = target_of(url) if isinstance(url, str) else None
    if not isinstance(method, str) or target is None:
        return None
    status = number_of(tags.get("status"))
    return CapturedRequest(
        any_ns(data.get("time")),
        method,
        target.path,
        () if target.host is None else (("Host", target.host),),
        None if method in WITH_BODY else b"",
        int(status) if status is not None and status >= 100 else None,
    )


def _timed(request: CapturedRequest, data: dict[str, Any]) -> CapturedRequest:
    duration_ns = span_ns(data.get("value"), NS_PER_MS)
    if request.at_ns is None or duration_ns is None:
        return request
    return replace(request, at_ns=max(0, request.at_ns - duration_ns), duration_ns=duration_ns)
