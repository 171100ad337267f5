"""Writes a capture as a traffic file for the load generator
(`loadgen/schemas/traffic.schema.json`).
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import Any, TextIO

from runfair.errors import UserMistake
from runfair.formats.traffic import Conversion, Timing
from runfair.traffic.capture import Capture
from runfair.traffic.credentials import Credentials, is_secret_header
from runfair.traffic.request import CapturedRequest
from runfair.traffic.sorting import Entry, SortedEntries
from runfair.traffic.source import Notes, encoded
from runfair.traffic.summary import Tally

# Headers that concern only one connection (RFC 9110, section 7.6.1; RFC 9112, section 6), and
# headers that the generator handles itself. The generator writes Host and Content-Length, and never
# waits for "100 Continue".
HOP_BY_HOP = {
    *("connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding"),
    *("upgrade", "host", "content-length", "expect"),
}
KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
GRAPHIC = re.compile(r"[!\"$-~]+")
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# In a replay, a recorded refusal is a right answer; a recorded failure of the server is not.
REFUSED = range(400, 500)
FAILED = range(500, 600)
GENERATOR_READS_WHOLE_BYTES = 1 << 30
MOST_HOSTS = 1_000
AFTER_ALL: tuple[int, list[Entry]] = (1 << 64, [])

BAD_METHOD = "requests were left out, because the load generator cannot send their method"
BAD_PATH = "requests were left out, because the load generator cannot send their path"
UPGRADE = "requests to switch protocols (websockets) were left out"
OTHER_HOST = "requests to other hosts were left out"
NO_TIME = "requests without a time were left out"
BAD_HEADER = "headers that are not valid HTTP/1.1 or not UTF-8 were removed"
FAILURES = (
    "requests were answered with an error of the server (5xx) in the recording, but in a "
    "replay, such an answer counts as a failure"
)
REFUSALS = (
    "requests were refused (4xx) in the recording; in a replay, an answer with the same status "
    "counts as good"
)


def write_traffic(
    capture: Capture,
    out: Path,
    *,
    timing: Timing,
    keep_secrets: bool = False,
    limit: int | None = None,
    host: str | None = None,
) -> Conversion:
    """Writes the requests in the order of their times. With the timing `recorded`, each request
    gets its time stamp; the first time stamp is 0.

    The file has the first `limit` requests that can be sent. If `host` is given, only requests to
    this host are written. An existing file is replaced only when the new file is complete. Raises
    UserMistake if there is nothing to write, if times are requested but missing, or if `out` cannot
    be written.
    """
    if timing == "recorded" and not capture.timed:
        raise UserMistake(
            f"the {capture.format} contains no times; use --timing constant, and give the load a "
            "rate"
        )
    beside = out.with_name(f".{out.name}.part")
    try:
        with SortedEntries(out.absolute().parent) as entries:
            writer = _Writer(timing, keep_secrets, host)
            writer.take(capture, entries, limit)
            if not len(entries):
                reasons = [*writer.notes.lines, *capture.notes]
                why = reasons[0] if reasons else "it contains no request"
                raise UserMistake(f"no request of the {capture.format} can be sent ({why})")
            with beside.open("w", encoding="ascii") as file:
                size_bytes = _write(entries, file, timing, capture.resolution_ns)
            beside.replace(out)
    except OSError as failure:
        reason = os.strerror(failure.errno) if failure.errno else str(failure)
        raise UserMistake(f"{out} cannot be written: {reason}") from None
    finally:
        beside.unlink(missing_ok=True)
    if size_bytes > GENERATOR_READS_WHOLE_BYTES:
        writer.notes.say(
            "the traffic file is large, and the load generator reads the whole file into memory; "
            "use --limit to write fewer requests"
        )
    return Conversion(
        format=capture.format,
        timing=timing,
        found=writer.tally.summary(),
        written=len(entries),
        notes=[*capture.notes, *writer.final_notes()],
    )


class _Writer:
    """Turns requests into lines, and notes every change to a request."""

    def __init__(self, timing: Timing, keep_secrets: bool, host: str | None) -> None:
        self.notes = Notes()
        self.tally = Tally()
        self._timing = timing
        self._credentials = None if keep_secrets else Credentials()
        self._dropped: dict[str, int] = {}
        self._host = host
        self._hosts: set[str] = set()

    def take(self, capture: Capture, entries: SortedEntries, limit: int | None) -> None:
        latest_ns = 0
        for request in capture.requests:
            self.tally.add(request)
            line = self._line(request)
            if line is None:
                continue
            # If a request has no time, it keeps its place in the order.
            latest_ns = latest_ns if request.at_ns is None else request.at_ns
            entries.add(latest_ns, json.dumps(line, separators=(",", ":")))
            if len(entries) == limit:
                self.notes.say(
                    "the capture may contain more requests, because reading stopped after "
                    f"{limit:,} requests (--limit)"
                )
                return

    def final_notes(self) -> list[str]:
        notes = Notes()
        if len(self._hosts) > 1:
            some = ", ".join(sorted(self._hosts)[:5])
            notes.say(
                f"the recorded requests went to {len(self._hosts)} hosts ({some}…), but a "
                "load sends all of them to a single host; to convert the requests to one "
                "host, use --host"
            )
        if self._credentials is None:
            notes.say("the traffic file contains the recorded credentials, so do not share it")
            return [*notes.lines, *self.notes.lines]
        if self._dropped:
            notes.say(
                f"headers with credentials were removed ({_counts(self._dropped)}), so the server "
                "may give other answers; --keep-secrets keeps these headers"
            )
        if self._credentials.replaced:
            notes.say(
                "the values of parameters whose names suggest a secret were replaced by other "
                f"values of the same length: {_counts(self._credentials.replaced)}"
            )
        notes.say(
            "secrets are recognised only by the names of headers and parameters, so read the "
            "traffic file before you share it"
        )
        return [*notes.lines, *self.notes.lines]

    def _line(self, request: CapturedRequest) -> dict[str, Any] | None:
        """The request's line in the traffic file, without its time stamp; None if the request
        cannot be sent.
        """
        host = (request.host or "").lower()
        if self._host is not None and host != self._host.lower():
            self.notes.count(OTHER_HOST)
            return None
        path = self._path(request.path)
        reason = self._unfit(request, path)
        if reason is not None or path is None:
            self.notes.count(reason or BAD_PATH, f"{request.method[:20]!a} {request.path[:80]!a}")
            return None
        if host and len(self._hosts) < MOST_HOSTS:
            self._hosts.add(host)
        line: dict[str, Any] = {"method": request.method, "path": path}
        if headers := self._headers(request):
            line["headers"] = headers
        line |= self._body(request)
        if request.status in REFUSED:
            self.notes.count(REFUSALS)
            line["expect"] = {"status": request.status}
        elif request.status in FAILED:
            self.notes.count(FAILURES)
        return line

    def _unfit(self, request: CapturedRequest, path: str | None) -> str | None:
        method = request.method
        if TOKEN.fullmatch(method) is None or method == "CONNECT":
            return BAD_METHOD
        if method != method.upper() and method.upper() in KNOWN_METHODS:
            return BAD_METHOD
        if path is None or not path.startswith("/"):
            return BAD_PATH
        if any(name.lower() == "upgrade" for name, _ in request.headers):
            return UPGRADE
        if self._timing == "recorded" and request.at_ns is None:
            return NO_TIME
        return None

    def _path(self, path: str) -> str | None:
        if self._credentials is not None:
            path = self._credentials.in_address(path)
        if GRAPHIC.fullmatch(path):
            return _plain(path)
        content = encoded(path.partition("#")[0])
        if content is None:
            return None
        letters = (chr(byte) if 0x20 < byte < 0x7F else f"%{byte:02X}" for byte in content)
        return _plain("".join(letters))

    def _headers(self, request: CapturedRequest) -> list[list[str]]:
        named_by_connection = {
            name.strip().lower()
            for header, value in request.headers
            if header.lower() == "connection"
            for name in value.split(",")
        }
        left_out = HOP_BY_HOP | named_by_connection
        headers = []
        for name, value in request.headers:
            if name.lower() in left_out or name.startswith(":"):
                continue
            if self._credentials is not None:
                if is_secret_header(name):
                    self._dropped[name.lower()] = self._dropped.get(name.lower(), 0) + 1
                    continue
                if name.lower() == "referer":
                    value = self._credentials.in_address(value)  # noqa: PLW2901
            if TOKEN.fullmatch(name) is None or CONTROL.search(value) or not _is_unicode(value):
                self.notes.count(BAD_HEADER, f"{name[:40]!a}")
                continue
            headers.append([name, _plain(value)])
        return headers

    def _body(self, request: CapturedRequest) -> dict[str, str]:
        body = request.body
        if not body:
            return {}
        if self._credentials is not None:
            kind = next((v for n, v in request.headers if n.lower() == "content-type"), "")
            body = self._credentials.in_body(body, kind)
        try:
            return {"body": _plain(body.decode("utf-8"))}
        except UnicodeDecodeError:
            return {"body_base64": base64.b64encode(body).decode("ascii")}


def _write(entries: SortedEntries, file: TextIO, timing: Timing, resolution_ns: int) -> int:
    origin_ns: int | None = None
    size_bytes = 0
    for at_ns, entry in _spread(entries, resolution_ns):
        origin_ns = at_ns if origin_ns is None else origin_ns
        text = entry.text
        if timing == "recorded":
            text = f'{{"at_ns":{at_ns - origin_ns},{text[1:]}'
        size_bytes += file.write(text + "\n")
    return size_bytes


def _spread(entries: SortedEntries, resolution_ns: int) -> Iterator[tuple[int, Entry]]:
    """Spreads entries with the same instant evenly over one step of a coarse clock, but not beyond
    the next instant, which a finer clock may have recorded. If all these entries were sent at that
    instant, the replay would have a burst that was not recorded.
    """
    if resolution_ns == 1:
        yield from ((entry.at_ns, entry) for entry in entries)
        return
    groups = ((at_ns, list(group)) for at_ns, group in groupby(entries, lambda entry: entry.at_ns))
    for (at_ns, together), (next_ns, _) in pairwise(chain(groups, [AFTER_ALL])):
        room_ns = min(resolution_ns, next_ns - at_ns)
        for place, entry in enumerate(together):
            yield at_ns + place * room_ns // len(together), entry


def _plain(text: str) -> str:
    """The text, with each `${` replaced by `$${`, so that the generator finds no fields in it."""
    return text.replace("${", "$${")


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _counts(numbers: dict[str, int]) -> str:
    ordered = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{name[:40]!a} {number:,}" for name, number in ordered[:8])
    return f"{named}, …" if len(ordered) > 8 else named
