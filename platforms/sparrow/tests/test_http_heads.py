"""Tests of the heads of requests and answers: the characters of headers, and targets that are URLs
(RFC 9112, section 3.2.2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Served

Serve = Callable[[str], Served]

SERVER = """
import { serve, text } from 'sparrow:http';
import { upgrade } from 'sparrow:websocket';

const routes = {
  '/': () => 'root',
  '/own': (request) => text('', { headers: { 'X-A': request.header('X-A') } }),
  '/all': (request) => text('', { headers: request.headers.filter(([name]) => name === 'X-A') }),
  '/type': (request) => text('', { type: request.header('X-A') }),
  '/parts': (request) => text(['a'], { headers: { 'X-A': request.header('X-A') } }),
  '/socket': (request) => upgrade(request, (socket) => socket.close(),
    { protocols: [request.header('Sec-WebSocket-Protocol')] }),
  '/length': (request) => `${request.header('X-A').length}`,
  '/euro': () => text('', { headers: { 'X-A': '\\u20ac' } }),
  '/where': (request) => JSON.stringify([request.method, request.path, request.search,
    request.header('host'), Object.fromEntries(request.headers).Host, request.text]),
};
console.log(serve({}, (request) => routes[request.path](request)).port);
"""
UMLAUT = b"\xfc\xe9"  # u and e, with marks, in Latin-1
ASKS = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
KEY = b"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"


@pytest.fixture(scope="module")
def served(serve_all: Serve) -> Served:
    return serve_all(SERVER)


def request(target: bytes, headers: bytes = b"Host: a\r\n", method: bytes = b"GET") -> bytes:
    return method + b" " + target + b" HTTP/1.1\r\n" + headers


END = b"Connection: close\r\n\r\n"


@pytest.mark.parametrize("path", ["/own", "/all", "/type", "/parts"])
def test_each_byte_of_a_header_is_a_character_of_latin_1(path: str, served: Served) -> None:
    asked = request(path.encode()) + b"X-A: " + UMLAUT + b"\r\n" + END
    head, _, _ = served.ask(asked).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b": " + UMLAUT + b"\r\n" in head
    length = served.ask(asked.replace(path.encode(), b"/length", 1))
    assert length.endswith(b"\r\n\r\n2")


def test_a_subprotocol_has_the_characters_of_a_header(served: Served) -> None:
    named = b"Sec-WebSocket-Protocol: " + UMLAUT + b"\r\n"
    with served.connect() as connection:
        connection.sendall(request(b"/socket") + ASKS + KEY + named + b"\r\n")
        answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 101 ")
    assert named in answer


def test_a_header_with_another_character_is_refused(served: Served) -> None:
    assert served.ask(request(b"/euro") + END).startswith(b"HTTP/1.1 500 ")


@pytest.mark.parametrize("method", [b"GET", b"PROPFIND"])
@pytest.mark.parametrize(
    ("target", "host"),
    [
        (b"http://b.example/where?c=d", "b.example"),
        (b"HTTPS://B.Example:8080/where?c=d", "B.Example:8080"),
        (b"http://[::1]:80/where?c=d", "[::1]:80"),
    ],
)
def test_a_target_may_be_a_url(target: bytes, host: str, method: bytes, served: Served) -> None:
    """The host in the header Host is then ignored, whether or not a body follows the head."""
    about = f'"/where","c=d","{host}","{host}"'
    post = request(target, method=b"POST") + b"Content-Length: 2\r\n\r\nhi"
    answer = served.ask(post + request(target, method=method) + END)
    assert f'["POST",{about},"hi"]HTTP/1.1 200 '.encode() in answer
    assert answer.endswith(f'["{method.decode()}",{about},""]'.encode())


@pytest.mark.parametrize("target", [b"http://b", b"http://b?c=/where", b"http://b:80/"])
def test_a_url_without_a_path_has_the_path_of_the_root(target: bytes, served: Served) -> None:
    assert served.ask(request(target) + END).endswith(b"root")


REFUSED = {
    "a URL without a host": request(b"http:///where"),
    "a URL with only a port": request(b"http://:80/where"),
    "a URL with a user": request(b"http://me@b/where"),
    "a URL with half an escape": request(b"http://b%2/where"),
    "a URL with a fragment for a path": request(b"http://b#/where"),
    "a URL of another scheme": request(b"ftp://b/where"),
    "a scheme without a host": request(b"http:/where"),
    "a scheme alone": request(b"http"),
    "a target without a slash": request(b"where"),
    "a URL without a header Host": request(b"http://b/where", b""),
    "a URL and an invalid header Host": request(b"http://b/where", b"Host: a/b\r\n"),
    "a URL and two headers Host": request(b"http://b/where", b"Host: b\r\nHost: b\r\n"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_target_that_names_no_resource_is_refused(name: str, served: Served) -> None:
    assert served.ask(REFUSED[name] + END).startswith(b"HTTP/1.1 400 ")
