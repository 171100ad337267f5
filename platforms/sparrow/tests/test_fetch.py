"""Tests of fetch, against servers whose bytes are written here."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Run, Served

LIMIT_S = 120
Play = Callable[..., "Player"]
Serve = Callable[[str], "Served"]


class Player:
    """A server that answers each connection with the next of its scripts, and keeps the requests.

    A script is a list of parts: each is sent by itself. The connection is closed after the last.
    """

    def __init__(self, scripts: tuple[list[bytes], ...]) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(LIMIT_S)
        self.port: int = self.socket.getsockname()[1]
        self.requests: list[bytes] = []
        self.thread = threading.Thread(target=self._play, args=(scripts,), daemon=True)
        self.thread.start()

    def _play(self, scripts: tuple[list[bytes], ...]) -> None:
        for script in scripts:
            connection, _ = self.socket.accept()
            with connection:
                connection.settimeout(LIMIT_S)
                received = b""
                while b"\r\n\r\n" not in received:
                    received += connection.recv(65536)
                head, _, body = received.partition(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].split(b"\r")[0] or 0)
                while len(body) < length:
                    body += connection.recv(65536)
                self.requests.append(head + b"\r\n\r\n" + body)
                for part in script:
                    connection.sendall(part)


@pytest.fixture
def play() -> Iterator[Play]:
    players: list[Player] = []

    def start(*scripts: list[bytes]) -> Player:
        players.append(Player(scripts))
        return players[-1]

    yield start
    for player in players:
        player.socket.close()


REPORT = """
const told = async (target, options) => {
  try {
    const answer = await fetch(target, options);
    return [answer.status, answer.ok, [...answer.headers], await answer.text(), answer.url];
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};
"""
OK = b"HTTP/1.1 200 OK\r\n"


def fetched(run: Run, player: Player, *options: str) -> list[object]:
    """The outcomes of requests to the player, with these options."""
    calls = ",".join(
        f"await told('http://127.0.0.1:{player.port}/a?b=c#d', {one})" for one in options
    )
    done = run(f"{REPORT} console.log(JSON.stringify([{calls}]));")
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)
    assert isinstance(outcomes, list)
    return outcomes


BODIES = {
    "a length": [OK + b"Content-Length: 5\r\n\r\nhello"],
    "chunks": [
        OK + b"Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nT: t\r\n\r\n"
    ],
    "the end": [OK + b"\r\nhel", b"lo"],
    "single bytes": [
        bytes([one])
        for one in b"HTTP/1.1 100 Continue\r\n\r\n"
        + OK
        + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ],
    "no reason": [b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello and more"],
}


@pytest.mark.parametrize("body", BODIES)
def test_a_body_ends_where_it_says(body: str, run: Run, play: Play) -> None:
    (outcome,) = fetched(run, play(BODIES[body]), "{}")
    assert isinstance(outcome, list)
    assert (outcome[0], outcome[1], outcome[3]) == (200, True, "hello")


MALFORMED = {
    "no status line": (b"hello\r\n\r\n", "does not begin with a status line"),
    "another protocol": (b"HTTP/2 200 OK\r\n\r\n", "does not begin with a status line"),
    "a folded header": (OK + b"A: b\r\n c\r\n\r\n", "is not a header"),
    "white space before a colon": (OK + b"A : b\r\n\r\n", "is not a header"),
    "both lengths": (
        OK + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "the end of this body is unknown",
    ),
    "another coding": (OK + b"Transfer-Encoding: gzip\r\n\r\n", "is unknown"),
    "two lengths": (
        OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "Content-Length is invalid",
    ),
    "a body that is cut": (
        OK + b"Content-Length: 9\r\n\r\nhello",
        "before its answer was complete",
    ),
    "chunks that are cut": (
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "before its answer was complete",
    ),
    "a chunk that is longer": (
        OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nhel\r\n0\r\n\r\n",
        "longer than its stated size",
    ),
    "a chunk without a size": (
        OK + b"Transfer-Encoding: chunked\r\n\r\nx\r\n",
        "does not begin with its size",
    ),
    "no answer": (b"", "before its answer was complete"),
    "a head without an end": (OK + b"A: b\r\n" * 20000, "the head of the answer is too long"),
    "a body beyond the limit": (OK + b"Content-Length: 1001\r\n\r\n", "longer than 1000 bytes"),
    "chunks beyond the limit": (
        OK + b"Transfer-Encoding: chunked\r\n\r\n3e9\r\n",
        "longer than 1000 bytes",
    ),
    "an end beyond the limit": (OK + b"\r\n" + b"x" * 1001, "longer than 1000 bytes"),
}


@pytest.mark.parametrize("answer", MALFORMED)
def test_what_is_no_answer_is_refused(answer: str, run: Run, play: Play) -> None:
    sent, said = MALFORMED[answer]
    (outcome,) = fetched(run, play([sent]), "{ bodyBytes: 1000 }")
    assert str(outcome).startswith("TypeError: ")
    assert said in str(outcome)


def test_a_request_says_what_it_was_given(run: Run, play: Play) -> None:
    player = play(*[[OK + b"Content-Length: 0\r\n\r\n"]] * 4)
    outcomes = fetched(
        run,
        player,
        "{ headers: { 'X-A': 'b' } }",
        "{ method: 'post', body: 'h\u00fc' }",
        "{ method: 'PUT', body: new URLSearchParams({ a: 'b c' }) }",
        "{ method: 'HEAD' }",
    )
    assert all(isinstance(one, list) and one[0] == 200 for one in outcomes)
    player.thread.join(LIMIT_S)
    get, post, put, head = (one.decode() for one in player.requests)
    assert get.startswith(f"GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:{player.port}\r\nx-a: b\r\n")
    assert "content-length" not in get
    assert "content-type: text/plain;charset=UTF-8\r\n" in post
    assert post.endswith("content-length: 3\r\nconnection: close\r\n\r\nh\u00fc")
    assert put.endswith("\r\n\r\na=b+c")
    assert head.startswith("HEAD ")


def test_the_bytes_of_headers_are_characters_of_latin_1(run: Run, play: Play) -> None:
    player = play([OK + b"X-A: \xfc\xe9\r\nContent-Length: 0\r\n\r\n"])
    (outcome,) = fetched(run, player, "{ headers: { 'X-A': '\u00fc\u00e9' } }")
    assert isinstance(outcome, list)
    assert ["x-a", "\u00fc\u00e9"] in outcome[2]
    player.thread.join(LIMIT_S)
    assert b"\r\nx-a: \xfc\xe9\r\n" in player.requests[0]


def test_what_cannot_be_asked_is_refused(run: Run, play: Play) -> None:
    outcomes = fetched(
        run,
        play(),
        "{ headers: { 'a b': 'c' } }",
        "{ headers: { a: 'b\\r\\nc: d' } }",
        "{ headers: { a: '\u20ac' } }",
        "{ headers: { Host: 'b' } }",
        "{ method: 'A B' }",
        "{ body: 'x' }",
        "{ method: 'POST', body: {} }",
        "{ signal: AbortSignal.abort() }",
    )
    assert all(str(one).startswith("TypeError: ") for one in outcomes[:-1])
    assert outcomes[-1] == "AbortError: the operation was aborted"


def test_redirects_are_followed_without_secrets_for_others(run: Run, play: Play) -> None:
    other = play([OK + b"Content-Length: 5\r\n\r\nother"])
    there = f"http://127.0.0.1:{other.port}/there".encode()
    first = play(
        [b"HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"],
        [b"HTTP/1.1 307 Temporary Redirect\r\nLocation: " + there + b"\r\n\r\n"],
        [b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"],
        [b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"],
    )
    followed, manual, refused = fetched(
        run,
        first,
        "{ method: 'POST', body: 'x', headers: { Authorization: 'secret',"
        " 'Content-Language': 'de', 'Content-Encoding': 'identity', 'Content-Location': '/' } }",
        "{ redirect: 'manual' }",
        "{ redirect: 'error' }",
    )
    assert isinstance(followed, list)
    assert followed[3:] == ["other", there.decode()]
    assert isinstance(manual, list)
    assert manual[0] == 302
    assert "is redirected to /x, but the option redirect is 'error'" in str(refused)
    first.thread.join(LIMIT_S)
    other.thread.join(LIMIT_S)
    assert first.requests[1].startswith(b"GET /next ")  # as browsers do after a POST
    assert b"content-language: de" in first.requests[0]
    assert b"content-" not in first.requests[1]  # there is no body that they could describe
    assert b"secret" in first.requests[1]
    assert b"secret" not in other.requests[0]


def test_a_circle_of_redirects_ends(run: Run, play: Play) -> None:
    circle = [b"HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n"]
    (outcome,) = fetched(run, play(*[circle] * 21), "{}")
    assert "is redirected more than 20 times" in str(outcome)


def test_a_redirect_to_a_user_is_refused(run: Run, play: Play) -> None:
    (outcome,) = fetched(
        run,
        play([b"HTTP/1.1 302 Found\r\nLocation: http://me:word@a/\r\nContent-Length: 0\r\n\r\n"]),
        "{}",
    )
    assert "fetch does not send the user in a URL" in str(outcome)


def test_headers_that_are_no_pairs_are_refused(run: Run) -> None:
    done = run(
        "for (const given of ['ab', [['X']], [['X', '1', '2']]]) {\n"
        "  try { new Headers(given); } catch ({ message }) { console.log(message); }\n"
        "}"
    )
    said = "headers must be Headers, a Map, an array of pairs, or an object\n"
    assert (done.stdout, done.stderr) == (3 * said, "")


def test_who_waits_too_long_is_told(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        done = run(
            f"{REPORT} console.log(await told('http://127.0.0.1:{port}/',"
            " { signal: AbortSignal.timeout(100) }));"
        )
    assert done.stdout == "TimeoutError: the operation took longer than 100 ms\n", done.stderr


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("http://127.0.0.1:1/", "http://127.0.0.1:1 cannot be fetched: "),
        ("https://127.0.0.1:1/", "https://127.0.0.1:1 cannot be fetched: "),
        ("ftp://127.0.0.1/", "ftp: cannot be fetched; only http: and https: can"),
        ("/x", "invalid URL"),
        ("http://me:word@127.0.0.1:1/", "fetch does not send the user in a URL; set the header"),
    ],
)
def test_what_cannot_be_reached_is_said(target: str, said: str, run: Run) -> None:
    done = run(f"{REPORT} console.log(await told('{target}'));")
    assert done.stdout.startswith(f"TypeError: {said}"), done.stderr


def test_a_mark_of_the_byte_order_is_no_part_of_the_text(run: Run) -> None:
    done = run(
        "const answer = () => new Response(new Uint8Array([0xef, 0xbb, 0xbf, 0x31]));\n"
        "console.log(await answer().text() === '1', await answer().json(),\n"
        "  (await answer().bytes()).length);"
    )
    assert done.stdout == "true 1 4\n", done.stderr


def test_sparrow_fetches_from_sparrow(run: Run, serve: Serve) -> None:
    served = serve(
        "import { serve, json, text } from 'sparrow:http';\n"
        "const parts = ['a'.repeat(100000), 'b'.repeat(100000)];\n"
        "const server = serve({}, (request) => request.path === '/parts' ? text(parts)\n"
        "  : json({ method: request.method, text: request.text }));\n"
        "console.log(server.port);"
    )
    done = run(
        f"const at = 'http://127.0.0.1:{served.port}';\n"
        "const all = await Promise.all(Array.from({ length: 20 }, (_, i) =>\n"
        "  fetch(at, { method: 'POST', body: `x${i}` }).then((answer) => answer.json())));\n"
        "console.log(all.every((one, i) => one.method === 'POST' && one.text === `x${i}`));\n"
        "console.log((await (await fetch(`${at}/parts`)).bytes()).length);"
    )
    assert done.stdout == "true\n200000\n", done.stderr
