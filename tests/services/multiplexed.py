"""An HTTP/2 service: answers requests with `hello`, and gRPC calls with the call's own message.

    multiplexed.py PORT [LIE] [--host HOST] [--each-ms MS] [--tls CERTIFICATE KEY] [--alpn PROTOCOL]

LIE is what is wrong with every answer: `status` and `message` of calls, `silent` about the status,
`reset` streams, another `body`, or `http1`: the service speaks HTTP/1.1 alone.
Each answer comes MS after its request, however many requests there are.
Inside TLS the service speaks HTTP/2 in any case. It agrees to PROTOCOL by ALPN, or to none.
"""

from __future__ import annotations

import argparse
import asyncio
import ssl
from collections import defaultdict

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import DataReceived, Event, RequestReceived, StreamEnded
from h2.exceptions import ProtocolError

HELLO = b"hello"
INTERNAL = "13"
OLD = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Connection(asyncio.Protocol):
    """One client. Answers are small, so they always fit into its windows."""

    def __init__(self, lie: str, each_s: float) -> None:
        self._lie = lie
        self._each_s = each_s
        self._http2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self._calls: set[int] = set()
        self._bodies: dict[int, bytes] = defaultdict(bytes)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._lie != "http1":
            self._http2.initiate_connection()
            self._send()

    def data_received(self, data: bytes) -> None:
        if self._lie == "http1":
            self._transport.write(OLD)
            self._transport.close()
            return
        try:
            for event in self._http2.receive_data(data):
                self._handle(event)
        except ProtocolError:
            self._transport.close()
        self._send()

    def _handle(self, event: Event) -> None:
        if isinstance(event, RequestReceived):
            headers = {str(name): str(value) for name, value in event.headers}
            if headers.get("content-type") == "application/grpc":
                self._calls.add(event.stream_id)
        elif isinstance(event, DataReceived):
            self._bodies[event.stream_id] += event.data
            self._http2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, StreamEnded):
            asyncio.get_running_loop().call_later(self._each_s, self._answer, event.stream_id)

    def _answer(self, stream: int) -> None:
        body, call = self._bodies.pop(stream, b""), stream in self._calls
        self._calls.discard(stream)
        if self._lie == "reset":
            self._http2.reset_stream(stream, ErrorCodes.INTERNAL_ERROR)
        elif call:
            self._answer_call(stream, body)
        else:
            self._http2.send_headers(stream, [(":status", "200")])
            body = b"something else" if self._lie == "body" else HELLO
            self._http2.send_data(stream, body, end_stream=True)
        self._send()

    def _answer_call(self, stream: int, body: bytes) -> None:
        fields = [(":status", "200"), ("content-type", "application/grpc")]
        self._http2.send_headers(stream, fields)
        if self._lie == "message":
            body = body[:-1] + b"?"
        self._http2.send_data(stream, body, end_stream=self._lie == "silent")
        if self._lie != "silent":
            status = INTERNAL if self._lie == "status" else "0"
            self._http2.send_headers(stream, [("grpc-status", status)], end_stream=True)

    def _send(self) -> None:
        self._transport.write(self._http2.data_to_send())


def tls_context(certificate_and_key: list[str], protocol: str | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate_and_key)
    if protocol is not None:
        context.set_alpn_protocols([protocol])
    return context


async def serve(
    address: tuple[str, int], lie: str, each_s: float, tls: ssl.SSLContext | None
) -> None:
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(lie, each_s), *address, ssl=tls
    )
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("lie", nargs="?", default="")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--each-ms", type=float, default=0)
    parser.add_argument("--tls", nargs=2)
    parser.add_argument("--alpn")
    asked = parser.parse_args()
    context = tls_context(asked.tls, asked.alpn) if asked.tls else None
    asyncio.run(serve((asked.host, asked.port), asked.lie, asked.each_ms / 1000, context))
