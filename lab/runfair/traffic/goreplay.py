"""A reader of GoReplay's files (`gor --output-file`).

Source: GoReplay's own documentation of its file format. A message is a line `KIND ID TIME_NS
[LATENCY_NS]`, the bytes as they were on the wire, and a line of three monkeys. Kind 1 is a request,
2 its answer, 3 the answer of a replay.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace

from runfair.traffic.http1 import LARGEST_BODY, LONGEST_HEAD, Message, Messages, NotHttp
from runfair.traffic.request import CapturedRequest, plausible
from runfair.traffic.source import Notes, Source

SEPARATOR = "\n🐵🙈🙉\n".encode()
CHUNK = 1 << 16
LONGEST_MESSAGE = LARGEST_BODY + LONGEST_HEAD
# An answer follows its request closely. If this many later requests came before the answer, the
# request has no answer.
MOST_UNANSWERED = 10_000

REQUEST, ANSWER, REPLAYED = b"1", b"2", b"3"
_HEADER = re.compile(rb"([123]) ([0-9A-Za-z_-]{1,128}) ([0-9]{1,19})(?: (-?[0-9]{1,19}))?\r?")
_START = re.compile(_HEADER.pattern + rb"\n")

CUT_OFF = "the file ends in the middle of a message, so only the earlier messages were read"
NOT_READ = "messages that are not complete HTTP/1.1 were left out"
TOO_LONG = "messages that are too long were left out"
UNANSWERED = (
    "requests have no recorded answer (to record answers, use gor --input-raw-track-response)"
)
NO_TARGET = "requests without a path (CONNECT, OPTIONS *) were left out"


def recognises(source: Source) -> bool:
    return _START.match(source.head) is not None


def read(source: Source) -> Iterator[CapturedRequest]:
    notes = source.notes
    waiting: OrderedDict[bytes, CapturedRequest] = OrderedDict()
    for number, text in enumerate(_messages(source), 1):
        place = f"message {number}"
        line, _, payload = text.partition(b"\n")
        header = _HEADER.fullmatch(line)
        if header is None:
            notes.count(NOT_READ, place)
            continue
        kind, name = header[1], header[2]
        if kind == REPLAYED:
            continue
        message = _message(kind, payload, waiting.get(name))
        if message is None:
            notes.count(NOT_READ, place)
        elif kind == REQUEST:
            yield from _asked(header, message, waiting, notes)
        elif name in waiting:
            latency_ns = int(header[4] or 0)
            yield replace(
                waiting.pop(name),
                status=message.status,
                answer_bytes=message.body_bytes,
                duration_ns=plausible(latency_ns) if latency_ns > 0 else None,
            )
    if waiting:
        notes.count(UNANSWERED, number=len(waiting))
    yield from waiting.values()


def _asked(
    header: re.Match[bytes],
    message: Message,
    waiting: OrderedDict[bytes, CapturedRequest],
    notes: Notes,
) -> Iterator[CapturedRequest]:
    request = message.request()
    if request is None:
        notes.count(NO_TARGET)
        return
    before = waiting.pop(header[2], None)
    waiting[header[2]] = replace(request, at_ns=plausible(int(header[3])))
    if len(waiting) > MOST_UNANSWERED:
        _, before = waiting.popitem(last=False)
    if before is not None:
        notes.count(UNANSWERED)
        yield before


def _message(kind: bytes, payload: bytes, asked: CapturedRequest | None) -> Message | None:
    if kind == REQUEST:
        messages = Messages("requests")
    else:
        messages = Messages("answers", lambda: None if asked is None else asked.method)
    try:
        done = [*messages.feed(payload), *messages.end()]
    except NotHttp:
        return None
    return done[-1] if done else None


def _messages(source: Source) -> Iterator[bytes]:
    """The texts of the messages, which lie between separators."""
    buffer, searched, skipping = bytearray(), 0, False
    with source.path.open("rb") as file:
        while chunk := file.read(CHUNK):
            buffer += chunk
            while (found := buffer.find(SEPARATOR, searched)) >= 0:
                if not skipping:
                    yield bytes(buffer[:found])
                del buffer[: found + len(SEPARATOR)]
                searched, skipping = 0, False
            searched = max(0, len(buffer) - len(SEPARATOR) + 1)
            if len(buffer) > LONGEST_MESSAGE:
                if not skipping:
                    source.notes.count(TOO_LONG)
                skipping = True
                del buffer[:searched]
                searched = 0
    if buffer.strip():
        source.notes.say(CUT_OFF)
