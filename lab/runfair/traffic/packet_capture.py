"""HTTP/1.1 requests from captured packets (pcap, pcapng).

No library is used, because packet libraries only dissect single packets. Together with the modules
`packets`, `tcp` and `http1`, this module reads a capture of any size in bounded memory and counts
missing packets.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from runfair.traffic import packets
from runfair.traffic.http1 import (
    SWITCHING_PROTOCOLS,
    Message,
    Messages,
    NotHttp,
    begins_request,
)
from runfair.traffic.request import CapturedRequest
from runfair.traffic.source import Notes, Source
from runfair.traffic.tcp import ACK, FIN, RST, SYN, Endpoint, Piece, Reassembly, Segment, segment_of

# The greatest number of connections that are followed at the same time. If there are more, the
# connection that was silent longest is dropped.
MOST_CONNECTIONS = 20_000
# The greatest number of pipelined requests without an answer. If there are more, the answers were
# not captured.
MOST_UNANSWERED = 1_000

TLS_RECORD = b"\x16\x03"  # RFC 8446, section 5.1: a handshake
HTTP2_PREFACE = b"PRI * HTTP/2.0"

TLS = "connections were left out, because TLS encrypts their requests"
HTTP2 = (
    "connections were left out, because they used HTTP/2, which runfair cannot read in a "
    "packet file"
)
OTHER = "connections were left out, because they do not use HTTP/1.1"
LOST = "requests that are incomplete in the capture were left out"
UNPAIRED = "connections lack packets, so the later answers cannot be matched with their requests"
NO_TARGET = "requests without a path (CONNECT, OPTIONS *) were left out"
UNANSWERED = "requests have no answer in the recorded packets"

Role = Literal["client", "server"]
_ROLES: tuple[Role, ...] = ("server", "client")


def is_pcap(source: Source) -> bool:
    return source.head[:4] in packets.PCAP_UNITS_NS


def is_pcapng(source: Source) -> bool:
    return source.head.startswith(packets.PCAPNG_MAGIC)


def read(source: Source) -> Iterator[CapturedRequest]:
    """The requests of a file. Each request is returned when its answer or its connection ends."""
    notes = source.notes
    followed: OrderedDict[tuple[Endpoint, Endpoint], Connection] = OrderedDict()
    for packet in packets.packets(source.path, notes):
        segment = segment_of(packet, notes)
        if segment is None:
            continue
        ends = sorted((segment.source, segment.destination))
        key = (ends[0], ends[1])
        opens = bool(segment.flags & SYN) and not segment.flags & ACK
        if opens and key in followed and not followed[key].opening:
            yield from followed.pop(key).end()  # the ports were reused for a new connection
        connection = followed.get(key)
        if connection is None:
            connection = followed[key] = Connection(notes)
        followed.move_to_end(key)
        yield from connection.add(segment)
        if segment.flags & RST or connection.closed:
            yield from followed.pop(key).end()
        elif len(followed) > MOST_CONNECTIONS:
            yield from followed.popitem(last=False)[1].end()
    while followed:
        yield from followed.popitem(last=False)[1].end()


@dataclass
class _Direction:
    """The bytes that one end of a connection sends.

    `following` is true while the parser knows where messages begin and end; it is false after lost
    bytes. `ends_at` is the sequence number after the last byte; it is known once the FIN was seen.
    """

    messages: Messages
    role: Role | None = None
    reassembly: Reassembly = field(default_factory=Reassembly)
    following: bool = True
    ends_at: int | None = None
    finished: bool = False


class Connection:
    """A TCP connection. The requests of one end are paired with the answers of the other end."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._directions: dict[Endpoint, _Direction] = {}
        self._open: deque[CapturedRequest] = deque()
        self._asked = False  # a request was seen
        self._paired = True  # answer k belongs to request k
        self._unknown = False  # bytes were seen that could not be interpreted
        self._foreign = False  # the connection uses another protocol

    @property
    def opening(self) -> bool:
        """Whether only the SYN was seen so far. A SYN may be sent again."""
        return not (self._asked or self._unknown or self._foreign)

    @property
    def closed(self) -> bool:
        return len(self._directions) == 2 and all(d.finished for d in self._directions.values())

    def add(self, segment: Segment) -> Iterator[CapturedRequest]:
        """The requests that are completed by this segment."""
        direction = self._directions.get(segment.source)
        if direction is None:
            direction = self._directions[segment.source] = _Direction(Messages("requests"))
        opens = bool(segment.flags & SYN)
        if opens and direction.role is None:
            self._set_role(direction, "server" if segment.flags & ACK else "client")
            direction.reassembly.opened(segment.sequence)
        if direction.finished:
            return  # nothing follows a FIN
        begins = segment.sequence + opens
        for piece in direction.reassembly.add(begins, segment.data, segment.at_ns):
            yield from self._read(direction, piece)
        if segment.flags & FIN:
            direction.ends_at = begins + len(segment.data)
        if direction.ends_at is not None and direction.reassembly.reached(direction.ends_at):
            yield from self._finish(direction)

    def end(self) -> Iterator[CapturedRequest]:
        """Ends the connection, because the connection was closed or the capture ended."""
        for direction in self._directions.values():
            yield from self._finish(direction)
        yield from self._give_up_answers()
        if self._unknown and not self._asked and not self._foreign:
            self._notes.count(OTHER)

    def _finish(self, direction: _Direction) -> Iterator[CapturedRequest]:
        if direction.finished:
            return
        for piece in direction.reassembly.end():
            yield from self._read(direction, piece)
        direction.finished = True
        if not direction.following or self._foreign:
            return
        if direction.role == "server":
            for answer in direction.messages.end():
                yield from self._answered(answer)
        elif not direction.messages.between:
            self._notes.count(LOST)

    def _read(self, direction: _Direction, piece: Piece) -> Iterator[CapturedRequest]:
        if not self._asked and not self._foreign:
            self._judge(piece.data)
        if self._foreign or not self._role_is_known(direction, piece.data):
            return
        if piece.missing and direction.following and not direction.messages.skip(piece.missing):
            yield from self._lose(direction)
        if not direction.following:
            if not _begins(direction.role, piece.data):
                return
            direction.messages = self._new_messages(direction)
            direction.following = True
        try:
            for message in direction.messages.feed(piece.data, piece.at_ns):
                yield from self._take(direction, message)
                if self._foreign:
                    return
        except NotHttp:
            yield from self._lose(direction)

    def _judge(self, data: bytes) -> None:
        if data.startswith((TLS_RECORD, HTTP2_PREFACE)):
            self._notes.count(TLS if data.startswith(TLS_RECORD) else HTTP2)
            self._foreign = True

    def _role_is_known(self, direction: _Direction, data: bytes) -> bool:
        """Whether it is known which end is the client. The client is known from its SYN, otherwise
        from the first bytes that begin a message. A capture may begin in the middle of a message.
        """
        if direction.role is None:
            role = next((role for role in _ROLES if _begins(role, data)), None)
            if role is None:
                self._unknown = True
                return False
            self._set_role(direction, role)
        elif not self._asked and direction.messages.between and not _begins(direction.role, data):
            # The first byte of this direction does not begin a message.
            self._unknown = True
            direction.following = False
        return True

    def _take(self, direction: _Direction, message: Message) -> Iterator[CapturedRequest]:
        if direction.role == "server":
            yield from self._answered(message)
            return
        self._asked = True
        request = message.request()
        if request is None:
            self._notes.count(NO_TARGET)
            yield from self._unpair()
        elif self._paired:
            self._open.append(request)
        else:
            self._notes.count(UNANSWERED)
            yield request
        if len(self._open) > MOST_UNANSWERED:
            yield from self._unpair()

    def _answered(self, answer: Message) -> Iterator[CapturedRequest]:
        if answer.status == SWITCHING_PROTOCOLS:
            self._foreign = True  # RFC 9110, section 15.2.2: another protocol follows
        elif answer.status < 200:
            return  # the final answer is still to come
        if not self._open:
            # The answer may belong to a request from before the capture began.
            if self._asked and self._paired:
                yield from self._unpair()
            return
        request = self._open.popleft()
        duration_ns = None
        if request.at_ns is not None and answer.ended_ns is not None:
            duration_ns = max(0, answer.ended_ns - request.at_ns)
        yield replace(
            request,
            status=answer.status,
            answer_bytes=answer.body_bytes,
            duration_ns=duration_ns,
        )

    def _lose(self, direction: _Direction) -> Iterator[CapturedRequest]:
        """Skips bytes until a segment begins with the start of a message."""
        if direction.role == "client" and not direction.messages.between:
            self._notes.count(LOST)
        direction.following = False
        yield from self._unpair()

    def _unpair(self) -> Iterator[CapturedRequest]:
        if self._paired:
            self._paired = False
            self._notes.count(UNPAIRED)
        yield from self._give_up_answers()

    def _give_up_answers(self) -> Iterator[CapturedRequest]:
        if self._open:
            self._notes.count(UNANSWERED, number=len(self._open))
        while self._open:
            yield self._open.popleft()

    def _set_role(self, direction: _Direction, role: Role) -> None:
        direction.role = role
        direction.messages = self._new_messages(direction)

    def _new_messages(self, direction: _Direction) -> Messages:
        if direction.role == "server":
            return Messages("answers", self._method_asked)
        return Messages("requests")

    def _method_asked(self) -> str | None:
        return self._open[0].method if self._open else None


def _begins(role: Role | None, data: bytes) -> bool:
    return data.startswith(b"HTTP/1.") if role == "server" else begins_request(data)
