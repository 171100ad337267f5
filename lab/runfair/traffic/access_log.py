"""Access logs of web servers in the common and combined formats (Apache httpd, nginx and others).

Source: Apache httpd's mod_log_config (`common`, `combined`, `vhost_combined`); nginx's
ngx_http_log_module (`combined`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.traffic.request import CapturedRequest, Headers, log_ns, target_of
from runfair.traffic.source import Notes, Source

_QUOTED = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
_LINE = re.compile(
    r"(?:([^\s:\[]+:[0-9]+) )?"  # the virtual host in the format vhost_combined
    r"(\S+) (\S+) ([^\[]{1,256}?) \[([^\]]{1,64})\] "
    rf"{_QUOTED} ([0-9]{{3}}|-) ([0-9]+|-)"
    rf"(?: {_QUOTED} {_QUOTED})?(.*)"
)
_REQUEST = re.compile(r"(\S+) (\S+)(?: HTTP/[0-9.]+)?")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|.)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "v": "\v", "f": "\f"}

# Methods whose requests usually have a body (RFC 9110, section 9.3).
WITH_BODY = ("POST", "PUT", "PATCH")

NO_BODY = (
    "requests whose methods usually have a body were read without a body, because an "
    "access log contains no bodies"
)
NO_HEADERS = (
    "requests were read without headers (except User-Agent and Referer in some formats), "
    "because an access log contains no others"
)
COARSE = (
    "the log's times are whole seconds, so runfair spreads the requests of a second evenly "
    "over this second, and bursts within a second are lost"
)
WHICH_TIME = (
    "the log does not say whether a time is the start of a request (as in Apache) or its end (as "
    "in nginx); it also does not say whether a size includes the headers of an answer (Apache's "
    "%O) or only the body (nginx, and Apache's %b)"
)
NO_ENTRY = "lines that are not a log entry were left out"
NO_REQUEST = "entries without a valid request line (method, path and HTTP version) were left out"
MORE_FIELDS = "lines had unknown fields, which runfair left out"


def recognises(source: Source) -> bool:
    return any(_LINE.fullmatch(line) for line in source.whole_lines[:100])


def recognises_exact(source: Source) -> bool:
    """Whether a time at the beginning of the log has a fraction of a second, as with Apache's
    `%{msec_frac}t`.
    """
    entries = (_LINE.fullmatch(line) for line in source.whole_lines[:100])
    return any("." in entry[5] for entry in entries if entry is not None)


def read_coarse(source: Source) -> Iterator[CapturedRequest]:
    source.notes.say(COARSE)
    yield from read(source)


def read(source: Source) -> Iterator[CapturedRequest]:
    notes = source.notes
    for note in (NO_HEADERS, WHICH_TIME):
        notes.say(note)
    for number, line in source.lines():
        place = f"line {number}"
        found = _LINE.fullmatch(line)
        if found is None:
            notes.count(NO_ENTRY, place)
            continue
        request = _request(found, notes, place)
        if request is None:
            notes.count(NO_REQUEST, place)
        else:
            yield request


def logged_request(line: str) -> tuple[str, str, str | None] | None:
    """Method, path and host from a logged request line such as `GET /x HTTP/1.1`."""
    found = _REQUEST.fullmatch(line)
    target = None if found is None else target_of(found[2])
    return None if found is None or target is None else (found[1], target.path, target.host)


def logged_body(method: str, notes: Notes, place: str) -> bytes | None:
    """The body of a logged request. The body is b"" if requests of this method usually have no
    body. For other methods the body is None, because the log does not contain bodies, and a note
    says so.
    """
    if method not in WITH_BODY:
        return b""
    notes.count(NO_BODY, place)
    return None


def _request(found: re.Match[str], notes: Notes, place: str) -> CapturedRequest | None:
    vhost, _, _, _, time, line, status, size, referer, agent, more = found.groups()
    asked = logged_request(_unescaped(line))
    if asked is None:
        return None
    method, path, host = asked
    if more.strip():
        notes.count(MORE_FIELDS, place)
    headers = (("Host", host or vhost), ("Referer", referer), ("User-Agent", agent))
    return CapturedRequest(
        log_ns(time),
        method,
        path,
        present(headers),
        logged_body(method, notes, place),
        None if status == "-" else int(status),
        0 if size == "-" else int(size),
    )


def present(headers: tuple[tuple[str, str | None], ...]) -> Headers:
    """The values that the log contains. In the log, a dash stands for a missing value."""
    return tuple((name, _unescaped(value)) for name, value in headers if value and value != "-")


def _unescaped(text: str) -> str:
    r"""The text without escapes: Apache writes `\"` and `\t`, nginx `\x22`. Both servers escape
    non-ASCII bytes in nginx's form."""
    if "\\" not in text:
        return text

    def letter(found: re.Match[str]) -> str:
        escape = found[1]
        if len(escape) == 1:
            return _LETTERS.get(escape, escape)
        byte = int(escape[1:], 16)
        # The byte may be a part of a letter, so it is joined with the neighbouring bytes.
        return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)

    joined = _ESCAPE.sub(letter, text)
    try:
        return joined.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return joined
