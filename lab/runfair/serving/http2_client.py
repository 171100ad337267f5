"""A client of HTTP/2 for single requests outside of loads. Loads are sent by the load generator,
which has another implementation of HTTP/2."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPException

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
)
from h2.exceptions import ProtocolError

from runfair.serving.address import Address

STREAM = 1  # the number of a client's first stream (RFC 9113, section 5.1.1)
_READ_BYTES = 1 << 16


class Http2Failed(HTTPException):
    """The server gave no whole answer by HTTP/2. The message has one line."""


@dataclass
class Http2Answer:
    """An answer. `fields` are the fields of header and trailer, with names in lower case."""

    status: int = 0
    fields: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    ended: bool = False

    def take(self, event: Event) -> None:
        """Adds what an event of the connection tells. Raises Http2Failed if the answer will never
        be whole."""
        if isinstance(event, ResponseReceived | TrailersReceived):
            pairs = [
                (name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers
            ]
            self.fields.update(pairs)
            self.status = int(self.fields.get(":status", "0"))
        elif isinstance(event, DataReceived):
            self.body += event.data
        elif isinstance(event, StreamEnded):
            self.ended = True
        elif isinstance(event, StreamReset):
            raise Http2Failed(f"the server reset the HTTP/2 stream ({_code(event.error_code)})")
        elif isinstance(event, ConnectionTerminated) and event.error_code != ErrorCodes.NO_ERROR:
            raise Http2Failed(f"the server ended the HTTP/2 connection ({_code(event.error_code)})")


def asked_by_http2(
    address: Address,
    method: str,
    path: str,
    headers: Sequence[tuple[str, str]],
    body: bytes | None,
    timeout_s: float,
) -> Http2Answer:
    """Sends a request on a new connection: by prior knowledge, or inside TLS by ALPN. Raises
    OSError or Http2Failed if there is no whole answer.
    """
    connection = H2Connection(H2Configuration(client_side=True, header_encoding=None))
    with _connected(address, timeout_s) as stream:
        connection.initiate_connection()
        authority = f"{address.host}:{address.port}"
        fields = [
            (":method", method),
            (":scheme", "https" if address.tls else "http"),
            (":authority", authority),
            (":path", path),
            *((name.lower(), value) for name, value in headers),
        ]
        connection.send_headers(STREAM, fields, end_stream=body is None)
        try:
            return _exchange(connection, stream, body)
        except ProtocolError as error:
            raise Http2Failed(f"the server does not speak HTTP/2 ({error})") from None


def _exchange(connection: H2Connection, stream: socket.socket, body: bytes | None) -> Http2Answer:
    answer, unsent = Http2Answer(), body
    while True:
        if unsent is not None:
            unsent = _sent(connection, unsent)
        stream.sendall(connection.data_to_send())
        if answer.ended:
            return answer
        came = stream.recv(_READ_BYTES)
        if not came:
            raise Http2Failed(
                "the server closed the connection before its HTTP/2 response was complete"
            )
        if came.startswith(b"HTTP/"):
            raise Http2Failed(
                "the server does not speak HTTP/2, because it sent an HTTP/1.1 response"
            )
        for event in connection.receive_data(came):
            answer.take(event)
            if isinstance(event, DataReceived) and event.flow_controlled_length:
                connection.acknowledge_received_data(event.flow_controlled_length, STREAM)


def _sent(connection: H2Connection, body: bytes) -> bytes | None:
    """Sends as much of the body as the windows allow. Returns the rest; None after the end."""
    while True:
        room = min(connection.local_flow_control_window(STREAM), connection.max_outbound_frame_size)
        if body and room <= 0:
            return body
        piece, body = body[:room], body[room:]
        connection.send_data(STREAM, piece, end_stream=not body)
        if not body:
            return None


def _connected(address: Address, timeout_s: float) -> socket.socket:
    plain = socket.create_connection((address.host, address.port), timeout_s)
    if not address.tls:
        return plain
    context = ssl.create_default_context()
    context.set_alpn_protocols(["h2"])
    try:
        stream = context.wrap_socket(plain, server_hostname=address.host)
    except BaseException:
        plain.close()
        raise
    if stream.selected_alpn_protocol() != "h2":
        stream.close()
        raise Http2Failed("the server did not choose HTTP/2 in the TLS handshake (ALPN)")
    return stream


def _code(code: ErrorCodes | int | None) -> str:
    return code.name if isinstance(code, ErrorCodes) else str(code)
