"""A reader of access logs in JSON. Caddy, Traefik and Envoy have fixed keys; for nginx, the usual
keys are known.

Sources: Caddy's `http.log.access`, Traefik's access-log reference, Envoy's default JSON format. In
nginx the administrator chooses the keys. The names of nginx's variables and the usual short names
are recognised.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runfair.traffic.access_log import (
    COARSE,
    NO_REQUEST,
    logged_body,
    logged_request,
    present,
)
from runfair.traffic.request import (
    NS_PER_S,
    CapturedRequest,
    Headers,
    any_ns,
    number_of,
    span_ns,
    target_of,
)
from runfair.traffic.source import Notes, Source, json_object

NS_PER_MS = 1_000_000

METHOD = ("request_method", "method", "RequestMethod", "verb", "http_method")
TARGET = ("request_uri", "uri", "RequestPath", "path", "url", "http_path")
STATUS = ("status", "status_code", "response_code", "DownstreamStatus", "http_status", "code")
# Keys of sizes in bytes. The size of the answer's body is preferred to the size of the whole
# answer.
ANSWER_BYTES = (
    *("body_bytes_sent", "DownstreamContentSize", "size", "bytes_sent", "bytes"),
    *("response_size", "response_bytes"),
)
BEGAN = ("StartUTC", "start_time")
# Keys of durations, with their units. nginx and Caddy write seconds, Traefik nanoseconds, Envoy
# milliseconds.
SPANS = (
    ("request_time", NS_PER_S),
    ("Duration", 1),
    ("duration_ms", NS_PER_MS),
    ("latency_ms", NS_PER_MS),
)
ENDED = (
    *("msec", "ts", "time_iso8601", "@timestamp", "timestamp", "time_local", "time"),
    *("datetime", "date"),
)
HEADERS = (
    ("Host", ("http_host", "host", "authority", "RequestHost", "server_name")),
    ("User-Agent", ("http_user_agent", "user_agent", "agent", "request_User-Agent")),
    ("Referer", ("http_referer", "referer", "referrer", "request_Referer")),
    ("Content-Type", ("content_type", "http_content_type")),
)

NO_HEADERS = (
    "the requests have few or no headers, because a JSON access log leaves out most headers"
)
NO_KEYS = "lines were left out, because they do not have the keys of an access log"
ENDS = (
    "entries contain only the time at which a request ended, so runfair uses this time as the "
    "start of the request"
)


def recognises(source: Source) -> bool:
    objects = (json_object(line) for line in source.whole_lines[:100])
    return any(_asked(entry) is not None for entry in objects if entry is not None)


def recognises_coarse(source: Source) -> bool:
    """Whether all times at the beginning of the log are whole seconds, as of nginx without `msec`.
    A single time can be a whole second by chance.
    """
    objects = (json_object(line) for line in source.whole_lines[:100])
    entries = [entry for entry in objects if entry is not None and _asked(entry) is not None]
    times_ns = [_logged_ns(entry) for entry in entries]
    known = [time_ns for time_ns in times_ns if time_ns is not None]
    return len(known) > 1 and all(time_ns % NS_PER_S == 0 for time_ns in known)


def read_coarse(source: Source) -> Iterator[CapturedRequest]:
    source.notes.say(COARSE)
    yield from read(source, coarse=True)


def read(source: Source, *, coarse: bool = False) -> Iterator[CapturedRequest]:
    """The requests. If the times are `coarse`, durations are not subtracted: the requests of a
    second stay together, to be spread over it.
    """
    notes = source.notes
    notes.say(NO_HEADERS)
    for place, entry in source.objects():
        asked = _asked(entry)
        if asked is None:
            notes.count(NO_KEYS, place)
            continue
        method, target = asked
        found = target_of(target)
        if found is None:
            notes.count(NO_REQUEST, place)
            continue
        duration_ns = _duration_ns(entry)
        size = number_of(_first(entry, ANSWER_BYTES))
        status = number_of(_first(entry, STATUS))
        yield CapturedRequest(
            _logged_ns(entry) if coarse else _began_ns(entry, duration_ns, notes, place),
            method,
            found.path,
            _headers(entry, found.host),
            logged_body(method, notes, place),
            int(status) if status is not None and status >= 100 else None,
            None if size is None or size < 0 else int(size),
            duration_ns,
        )


def _asked(entry: dict[str, Any]) -> tuple[str, str] | None:
    """The method and the target of a request, from the keys that the log uses."""
    request = entry.get("request")
    if isinstance(request, str):
        logged = logged_request(request)
        return None if logged is None else (logged[0], logged[1])
    keys = request if isinstance(request, dict) else entry
    method, target = _first(keys, METHOD), _first(keys, TARGET)
    if not isinstance(method, str) or not isinstance(target, str) or not method.isupper():
        return None
    query = _first(keys, ("args", "query_string", "query"))
    if isinstance(query, str) and query not in ("", "-") and "?" not in target:
        target += "?" + query.removeprefix("?")
    return method, target


def _logged_ns(entry: dict[str, Any]) -> int | None:
    began_ns = any_ns(_first(entry, BEGAN))
    return any_ns(_first(entry, ENDED)) if began_ns is None else began_ns


def _began_ns(
    entry: dict[str, Any], duration_ns: int | None, notes: Notes, place: str
) -> int | None:
    began_ns = any_ns(_first(entry, BEGAN))
    if began_ns is not None:
        return began_ns
    ended_ns = any_ns(_first(entry, ENDED))
    if ended_ns is None or duration_ns is None:
        if ended_ns is not None:
            notes.count(ENDS, place)
        return ended_ns
    return max(0, ended_ns - duration_ns)


def _duration_ns(entry: dict[str, Any]) -> int | None:
    for key, unit_ns in SPANS:
        if key in entry:
            return span_ns(entry[key], unit_ns)
    # Caddy writes seconds (with the key `ts`), Envoy milliseconds (with the key `start_time`).
    return span_ns(entry.get("duration"), NS_PER_MS if "start_time" in entry else NS_PER_S)


def _headers(entry: dict[str, Any], host: str | None) -> Headers:
    request = entry.get("request")
    if isinstance(request, dict):
        named = request.get("headers")
        lists = named.items() if isinstance(named, dict) else ()
        headers = tuple(
            (name, value)
            for name, values in lists
            if isinstance(values, list)
            for value in values
            if isinstance(value, str)
        )
        own = request.get("host")
        return (("Host", own), *headers) if isinstance(own, str) else headers
    logged = []
    for name, keys in HEADERS:
        value = _first(entry, keys)
        logged.append((name, value if isinstance(value, str) else None))
    if host is not None:
        logged[0] = ("Host", host)
    return present(tuple(logged))


def _first(entry: dict[str, Any], keys: tuple[str, ...]) -> object:
    return next((entry[key] for key in keys if entry.get(key) is not None), None)
