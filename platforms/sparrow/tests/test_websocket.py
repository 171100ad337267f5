"""Tests of the WebSocket server, with a client that checks every frame, and with Node's."""

from __future__ import annotations

import base64
import hashlib
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Served

Serve = Callable[[str], "Served"]

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
KEY = base64.b64encode(b"0123456789abcdef").decode()
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
FINAL = 0x80
SERVER = """
import { serve, text } from 'sparrow:http';
import { onSignal } from 'sparrow:process';
import { sleep } from 'sparrow:timers';
import { upgrade } from 'sparrow:websocket';

const say = (value) => console.log(JSON.stringify(value));
const acts = {
  throw: () => { throw new Error('inside'); },
  reject: async () => { throw new Error('inside'); },
  bye: (socket) => socket.close(4000, 'en\\u00fcgh'),
  bad: (socket) => { try { socket.close(1005); } catch (error) { socket.send(error.message); } },
  pause: async (socket) => { socket.pause(true); await sleep(50); socket.send('later');
    socket.pause(false); },
  flood: (socket) => {
    let waiting = 0;
    while (waiting >= 0 && waiting < 3e6) waiting = socket.send(new Uint8Array(1e6));
    socket.send(`${waiting >= 3e6}`);
    socket.ondrain = () => socket.send('drained');
  },
  view: (socket) => socket.send(new DataView(new Uint8Array([1, 2]).buffer)),
  buffer: (socket) => socket.send(new Uint8Array([1, 2]).buffer),
  numbers: (socket) => socket.send([1, 2]),
  drown: (socket) => { while (socket.send(new Uint8Array(1e6)) >= 0); },
};
function opened(socket) {
  socket.onmessage = (message) => (acts[message] ?? (() => socket.send(message)))(socket);
  socket.closed.then((outcome) => say(outcome));
}
const options = { protocols: ['chat', 'super'], messageBytes: 100000, ...OPTIONS };
const server = serve({}, async (request) => {
  if (request.path === '/plain') return text('plain');
  if (request.path === '/late') await sleep(20);
  return upgrade(request, opened, options);
});
console.log(server.port);
onSignal('SIGTERM', async () => { await server.stop(); say('stopped'); });
"""


@pytest.fixture
def served(serve: Serve) -> Served:
    return serve(SERVER.replace("OPTIONS", "{}"))


@pytest.fixture(scope="module")
def shared(serve_all: Serve) -> Served:
    """The server of the tests that do not ask it for outcomes."""
    return serve_all(SERVER.replace("OPTIONS", "{}"))


def handshake(path: str = "/", **changes: str | None) -> bytes:
    headers: dict[str, str | None] = {
        "Host": "a",
        "Upgrade": "websocket",
        "Connection": "keep-alive, Upgrade",
        "Sec-WebSocket-Key": KEY,
        "Sec-WebSocket-Version": "13",
    }
    headers |= {name.replace("_", "-"): value for name, value in changes.items()}
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode()


def frame(opcode: int, content: bytes = b"", *, first: int = FINAL, mask: bool = True) -> bytes:
    """A frame of a client. `first` has the bits beside the opcode."""
    size = len(content)
    if size < 126:
        length = bytes([size])
    elif size < 65536:
        length = b"\x7e" + size.to_bytes(2, "big")
    else:
        length = b"\x7f" + size.to_bytes(8, "big")
    if not mask:
        return bytes([first | opcode]) + length + content
    key = os.urandom(4)
    masked = bytes(byte ^ key[at % 4] for at, byte in enumerate(content))
    return bytes([first | opcode, length[0] | 0x80]) + length[1:] + key + masked


class Client:
    """A client that accepts only what a server may send (RFC 6455, section 5)."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.arrived = b""

    def take(self, count: int) -> bytes:
        while len(self.arrived) < count:
            part = self.connection.recv(1 << 20)
            assert part, "the server closed the connection within a frame"
            self.arrived += part
        taken, self.arrived = self.arrived[:count], self.arrived[count:]
        return taken

    def send(self, *frames: bytes) -> None:
        self.connection.sendall(b"".join(frames))

    def receive(self) -> tuple[int, bytes]:
        """The next frame: its opcode and content."""
        first, second = self.take(2)
        assert first & 0xF0 == FINAL, "a server's frame here is whole, and has no reserved bit"
        assert second & 0x80 == 0, "a server's frame is not masked"
        size = second
        if second == 126:
            size = int.from_bytes(self.take(2), "big")
            assert size >= 126
        elif second == 127:
            size = int.from_bytes(self.take(8), "big")
            assert size >= 65536
        assert first & 0xF < 8 or size < 126
        return first & 0xF, self.take(size)

    def refused(self) -> int:
        """The code of the close that comes now, behind which the server ends the connection."""
        opcode, content = self.receive()
        assert opcode == CLOSE, (opcode, content)
        assert self.connection.recv(1) == b""
        return int.from_bytes(content[:2], "big")


@contextmanager
def talking(served: Served, path: str = "/", **changes: str | None) -> Iterator[Client]:
    with served.connect() as connection:
        client = Client(connection)
        client.send(handshake(path, **changes))
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.take(1)
        accept = base64.b64encode(hashlib.sha1(f"{KEY}{GUID}".encode()).digest())
        assert head.startswith(b"HTTP/1.1 101 Switching Protocols\r\n")
        assert b"\r\nSec-WebSocket-Accept: " + accept + b"\r\n" in head
        assert b"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" in head
        assert b"Content-Length" not in head
        yield client


def outcome(served: Served) -> str:
    assert served.process.stdout is not None
    return served.process.stdout.readline().strip()


def code(number: int, reason: str = "") -> bytes:
    return number.to_bytes(2, "big") + reason.encode()


@pytest.mark.parametrize("path", ["/", "/late"])
@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535, 65536])
def test_messages_of_every_size_come_back(path: str, size: int, shared: Served) -> None:
    content = os.urandom(size)
    with talking(shared, path) as client:
        client.send(frame(BINARY, content), frame(TEXT, b"h\xc3\xbc"))
        assert client.receive() == (BINARY, content)
        assert client.receive() == (TEXT, b"h\xc3\xbc")


def test_a_message_may_be_bytes_in_every_form(shared: Served) -> None:
    with talking(shared) as client:
        for form in (b"view", b"buffer"):
            client.send(frame(TEXT, form))
            assert client.receive() == (BINARY, b"\x01\x02")
        client.send(frame(TEXT, b"numbers"))
        assert client.refused() == 1011


def test_bytes_may_come_one_by_one_and_at_once(shared: Served) -> None:
    """Frames that come in one packet with the handshake, behind a request that is pipelined."""
    with shared.connect() as connection:
        plain = b"GET /plain HTTP/1.1\r\nHost: a\r\n\r\n"
        connection.sendall(plain + handshake() + frame(TEXT, b"early"))
        client = Client(connection)
        received = b""
        while not received.endswith(b"\x81\x05early"):
            received += client.take(1)
        assert received.index(b"plain") < received.index(b"HTTP/1.1 101 ")
        for byte in frame(TEXT, b"x" * 200):
            client.send(bytes([byte]))
        assert client.receive() == (TEXT, b"x" * 200)


def test_a_message_may_be_fragmented_around_control_frames(shared: Served) -> None:
    smile = "\U0001f600".encode()
    with talking(shared) as client:
        client.send(frame(TEXT, smile[:1], first=0), frame(PING, b"p"))
        client.send(frame(CONTINUATION, b"", first=0), frame(PONG, b"unasked"))
        client.send(frame(CONTINUATION, smile[1:3], first=0), frame(CONTINUATION, smile[3:]))
        assert client.receive() == (PONG, b"p")
        assert client.receive() == (TEXT, smile)
        client.send(*[frame(BINARY if i == 0 else 0, b"ab", first=0) for i in range(500)])
        client.send(frame(CONTINUATION, b"c"))
        assert client.receive() == (BINARY, b"ab" * 500 + b"c")


WRONG = {
    "no mask": (1002, frame(TEXT, b"a", mask=False)),
    "a reserved bit": (1002, frame(TEXT, b"a", first=FINAL | 0x40)),
    "an unknown opcode": (1002, frame(3, b"a")),
    "an unknown control frame": (1002, frame(11)),
    "a fragmented ping": (1002, frame(PING, b"a", first=0)),
    "a long ping": (1002, frame(PING, b"a" * 126)),
    "nothing to continue": (1002, frame(CONTINUATION, b"a")),
    "a message within another": (1002, frame(TEXT, b"a", first=0) + frame(TEXT, b"a")),
    "a length with a byte too many": (1002, b"\x82\xfe\x00\x05abcdhello"),
    "a long length that is short": (1002, b"\x82\xff" + (65535).to_bytes(8, "big") + b"abcd"),
    "a negative length": (1002, b"\x82\xff\x80" + bytes(7) + b"abcd"),
    "a text that is not UTF-8": (1007, frame(TEXT, b"\xc3\x28")),
    "half a surrogate": (1007, frame(TEXT, b"\xed\xa0\x80")),
    "half a character": (1007, frame(TEXT, b"\xc3", first=0) + frame(CONTINUATION)),
    "a reason that is not UTF-8": (1007, frame(CLOSE, b"\x03\xe8\xff")),
    "a long message": (1009, frame(BINARY, bytes(100001))),
    "a long message in fragments": (
        1009,
        frame(BINARY, bytes(60000), first=0) + frame(CONTINUATION, bytes(60000)),
    ),
    "half a code": (1002, frame(CLOSE, b"\x03")),
    **{f"the code {one}": (1002, frame(CLOSE, code(one))) for one in (0, 999, 1004, 1005, 1006)},
    **{f"the code {one}": (1002, frame(CLOSE, code(one))) for one in (1015, 2999, 5000)},
    "a throw": (1011, frame(TEXT, b"throw")),
    "a rejection": (1011, frame(TEXT, b"reject")),
}


@pytest.mark.parametrize("breach", WRONG)
def test_who_breaks_the_rules_is_told_by_which_code(breach: str, shared: Served) -> None:
    expected, frames = WRONG[breach]
    with talking(shared) as other, talking(shared) as client:
        # What comes behind a breach is ignored; a rejection is known only after it.
        client.send(frames, frame(TEXT, b"ignored") if expected != 1011 else b"")
        assert client.refused() == expected
        other.send(frame(TEXT, b"still"))
        assert other.receive() == (TEXT, b"still")


@pytest.mark.parametrize(
    "content", [b"", code(1000), code(1014), code(3000, "h\u00fc"), code(4999)]
)
def test_a_close_is_answered_with_its_code(content: bytes, served: Served) -> None:
    with talking(served) as client:
        client.send(frame(CLOSE, content))
        assert client.receive() == (CLOSE, content[:2])
        assert client.connection.recv(1) == b""
    expected = int.from_bytes(content[:2], "big") if content else 1005
    assert outcome(served) == f'{{"code":{expected},"reason":"{content[2:].decode()}"}}'


def test_a_server_closes_with_a_code_of_its_own(served: Served) -> None:
    with talking(served) as client:
        client.send(frame(TEXT, b"bad"))
        assert client.receive() == (TEXT, b"a socket cannot be closed with the code 1005")
        client.send(frame(TEXT, b"bye"))
        assert client.receive() == (CLOSE, code(4000, "en\u00fcgh"))
        client.send(frame(CLOSE, code(4000)))
        assert client.connection.recv(1) == b""
    assert outcome(served) == '{"code":4000,"reason":""}'


def test_who_goes_away_is_lost(served: Served) -> None:
    with talking(served):
        pass
    assert outcome(served) == '{"code":1006,"reason":""}'


def test_who_reads_slowly_makes_the_server_wait(shared: Served) -> None:
    with talking(shared) as client:
        client.send(frame(TEXT, b"flood"))
        while (received := client.receive())[0] == BINARY:
            assert len(received[1]) == 1_000_000
        assert received == (TEXT, b"true")
        assert client.receive() == (TEXT, b"drained")


def test_who_never_reads_is_lost(serve: Serve) -> None:
    served = serve(SERVER.replace("OPTIONS", "{ waitingBytes: 5e6 }"))
    with talking(served) as client:
        client.send(frame(TEXT, b"drown"))
        assert outcome(served) == '{"code":1006,"reason":""}'


def test_who_is_silent_is_asked_and_then_lost(serve: Serve) -> None:
    served = serve(SERVER.replace("OPTIONS", "{ pingMs: 60 }"))
    with talking(served) as client:
        for _ in range(3):
            assert client.receive() == (PING, b"")
            client.send(frame(PONG))
        assert client.receive() == (PING, b"")
        assert outcome(served) == '{"code":1006,"reason":""}'


def test_a_paused_client_waits(shared: Served) -> None:
    with talking(shared) as client:
        client.send(frame(TEXT, b"pause"))
        client.send(frame(TEXT, b"x"))
        assert {client.receive() for _ in range(2)} == {(TEXT, b"later"), (TEXT, b"x")}


@pytest.mark.parametrize(
    ("status", "changes"),
    [
        (426, {"Upgrade": None}),
        (426, {"Upgrade": "h2c"}),
        (426, {"Connection": "keep-alive"}),
        (426, {"Sec_WebSocket_Version": "8"}),
        (400, {"Sec_WebSocket_Key": None}),
        (400, {"Sec_WebSocket_Key": "short"}),
        (400, {"Sec_WebSocket_Key": KEY + "=="}),
    ],
)
def test_what_is_no_handshake_is_refused(
    status: int, changes: dict[str, str | None], shared: Served
) -> None:
    end = b"GET /plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    answer = shared.ask(handshake("/", **changes) + end)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert (b"Sec-WebSocket-Version: 13\r\n" in answer) == (status == 426)
    assert answer.endswith(b"plain")


def test_http_1_0_has_no_websocket(shared: Served) -> None:
    assert shared.ask(handshake().replace(b"/1.1", b"/1.0")).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("offered", "chosen"), [("super, chat", "chat"), ("super", "super"), ("other", ""), (None, "")]
)
def test_the_server_chooses_a_subprotocol(offered: str | None, chosen: str, shared: Served) -> None:
    with shared.connect() as connection:
        connection.sendall(handshake(Sec_WebSocket_Protocol=offered))
        head = connection.recv(65536)
    assert head.startswith(b"HTTP/1.1 101 ")
    _, _, named = head.partition(b"Sec-WebSocket-Protocol: ")
    assert named.partition(b"\r\n")[0].decode() == chosen


def test_the_end_of_the_server_closes_its_sockets(served: Served) -> None:
    with talking(served) as client:
        served.process.send_signal(signal.SIGTERM)
        assert client.receive() == (CLOSE, code(1001, "the server ends"))
        client.send(frame(CLOSE, code(1001)))
        assert client.connection.recv(1) == b""
    assert outcome(served) == '{"code":1001,"reason":""}'
    assert outcome(served) == '"stopped"'
    assert served.process.wait(60) == 0


CLIENT = """
const socket = new WebSocket('ws://127.0.0.1:PORT/', ['super']);
socket.binaryType = 'arraybuffer';
socket.onopen = () => {
  socket.send('h\\u00fc'.repeat(30000));
  socket.send(new Uint8Array(70000));
};
const seen = [];
socket.onmessage = ({ data }) => {
  seen.push(data.length ?? data.byteLength);
  if (seen.length === 2) socket.send('bye');
};
socket.onclose = ({ code, reason, wasClean }) =>
  console.log(JSON.stringify([socket.protocol, ...seen, code, reason, wasClean]));
"""


def test_the_client_of_node_agrees(shared: Served, sparrow: Path, tmp_path: Path) -> None:
    """The engine is Node's executable, whose client is another implementation."""
    asked = [str(sparrow), "-p", "process.execPath"]
    launcher = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    script = tmp_path / "client.mjs"
    script.write_text(CLIENT.replace("PORT", str(shared.port)), encoding="utf-8")
    words = [Path(launcher).with_name("engine"), script]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == '["super",60000,70000,4000,"en\u00fcgh",true]\n', done.stderr
