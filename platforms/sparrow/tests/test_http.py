"""Tests of the HTTP server over a connection: the requests that it answers, and those that it
refuses."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from .conftest import Run, Served, until_closed

Serve = Callable[[str], Served]

SERVER = """
import { json, serve, text } from 'sparrow:http';
import { onSignal } from 'sparrow:process';
import { sleep } from 'sparrow:timers';

const big = 'x'.repeat(8e6);
const routes = {
  '/': () => 'hello',
  '/json': () => json({ a: 'ü' }),
  '/late': async () => { await sleep(20); return 'late'; },
  '/echo': (request) => text(request.bytes),
  '/about': (request) => `${request.method} ${request.search} ${request.header('X-A')}`,
  '/throws': () => { throw new Error('inside'); },
  '/rejects': async () => { throw new Error('inside'); },
  '/big': () => big,
  '/none': () => text('', { status: 204 }),
  '/split': () => text('', { headers: { 'X-A': 'a\\r\\nX-B: b' } }),
  '/parts': () => text(parts()),
  '/flood': () => text(flood()),
  '/none-parts': () => text(['a'], { status: 204 }),
  '/number': () => text(['a', 5]),
  '/endless': () => text(endless()),
  '/turns': () => text(untilTheLoopTurns()),
  '/ended': () => String(ended),
};
let ended = 0;
async function* endless() {
  try {
    for (;;) {
      yield 'tick;';
      await sleep(20);
    }
  } finally {
    ended++;
  }
}
async function* parts() {
  for (let i = 0; i < 3; i++) {
    await sleep(1);
    yield `${i};`;
  }
}
function* flood() {
  for (let i = 0; i < 200; i++) yield 'x'.repeat(50000);
}
function* untilTheLoopTurns() {
  yield 'x'; // what follows runs in microtasks
  let turned = false;
  setImmediate(() => { turned = true; });
  for (let i = 0; i < 4 && !turned; i++) yield 'x'.repeat(30000);
  yield turned ? 'turned' : 'blocked';
}
function handle(request) {
  return routes[request.path]?.(request) ?? text('no', { status: 404 });
}
const server = serve({ limits: LIMITS }, handle);
console.log(server.port);
onSignal('SIGTERM', async () => { await server.stop(); console.log('stopped'); });
"""
END = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


@pytest.fixture
def served(serve: Serve) -> Served:
    return serve(SERVER.replace("LIMITS", "{}"))


@pytest.fixture(scope="module")
def shared(serve_all: Serve) -> Served:
    """The server of many refusals: none of them may touch what comes next."""
    return serve_all(SERVER.replace("LIMITS", "{}"))


def get(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: a", *headers, "", ""]).encode()


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def test_an_answer_is_whole(served: Served) -> None:
    answer = served.ask(END)
    head, _, body = answer.partition(b"\r\n\r\n")
    names = [line.split(b":")[0] for line in head.split(b"\r\n")[1:]]
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert names == [b"Server", b"Content-Type", b"Date", b"Connection", b"Content-Length"]
    assert body == b"hello"


def test_pipelined_requests_are_answered_in_order(served: Served) -> None:
    asked = get("/late") + get("/json") + get("/parts") + get("/late") + END
    answer = served.ask(asked)
    places = [answer.index(word) for word in (b"late", b"\xc3\xbc", b"2;\r\n0\r\n\r\n", b"hello")]
    assert places == sorted(places)
    assert answer.count(b"HTTP/1.1 200 OK") == 5
    assert served.ask(get("/") * 500 + END).count(b"hello") == 501


def test_a_request_may_come_byte_by_byte(served: Served) -> None:
    post = b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    whole = post + b"3;e=1\r\nabc\r\n2\r\nde\r\n0\r\nT: t\r\n\r\n" + END
    answer = served.ask(*[whole[i : i + 1] for i in range(len(whole))])
    assert b"\r\n\r\nabcde" in answer
    assert answer.endswith(b"hello")


def test_parts_of_a_request(served: Served) -> None:
    close = "Connection: close"
    assert body_of(served.ask(get("/about?q=1", "x-a: 1", "X-A: 2", close))) == b"GET q=1 1, 2"
    assert (
        body_of(served.ask(get("/parts", close))) == b"2\r\n0;\r\n2\r\n1;\r\n2\r\n2;\r\n0\r\n\r\n"
    )
    assert body_of(served.ask(b"GET /parts HTTP/1.0\r\n\r\n")) == b"0;1;2;"
    none = served.ask(get("/none", close))
    assert b"Content-Length" not in none
    head = served.ask(b"HEAD /json HTTP/1.1\r\nHost: a\r\n\r\n" + END)
    assert b"Content-Length: 10\r\n\r\nHTTP/1.1" in head


@pytest.mark.parametrize("path", ["/throws", "/rejects", "/split"])
def test_a_handler_that_fails_fails_alone(path: str, served: Served) -> None:
    answer = served.ask(get(path) + END)
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b"X-B" not in answer
    assert answer.endswith(b"hello")


def test_a_method_behind_an_empty_line_is_whole(served: Served) -> None:
    """A client may send an empty line after a body."""
    body = A + b"Content-Length: 2\r\n\r\nhi\r\n"
    about = get("/about?q=1", "X-A: 1", "Connection: close")
    for method in (b"PROPFIND", b"GET"):
        answer = served.ask(body + about.replace(b"GET", method))
        assert body_of(answer).endswith(method + b" q=1 1")


A = b"POST / HTTP/1.1\r\nHost: a\r\n"
REFUSED = {
    "both lengths": (400, A + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "two lengths": (400, A + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"),
    "the same length twice": (400, A + b"Content-Length: 3\r\ncontent-length: 3\r\n\r\nabc"),
    "a list of lengths": (400, A + b"Content-Length: 3, 3\r\n\r\nabc"),
    "a signed length": (400, A + b"Content-Length: +3\r\n\r\nabc"),
    "an empty length": (400, A + b"Content-Length:\r\n\r\n"),
    "a hexadecimal length": (400, A + b"Content-Length: 0x3\r\n\r\nabc"),
    "a folded header": (400, A + b"X: a\r\n b\r\n\r\n"),
    "a fold before any header": (400, b"GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
    "a bare CR": (400, A + b"X: a\rb\r\n\r\n"),
    "a bare LF": (400, b"GET / HTTP/1.1\nHost: a\n\n"),
    "a bare LF in a header": (400, A + b"X: a\nY: b\r\n\r\n"),
    "a zero": (400, A + b"X: a\0b\r\n\r\n"),
    "white space before a colon": (400, A + b"Content-Length : 3\r\n\r\nabc"),
    "a header without a name": (400, A + b": a\r\n\r\n"),
    "no host": (400, b"GET / HTTP/1.1\r\n\r\n"),
    "two hosts": (400, b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    "a host with a path": (400, b"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    "a host with a user": (400, b"GET / HTTP/1.1\r\nHost: b@a\r\n\r\n"),
    "a list of hosts": (400, b"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
    "a host with half an escape": (400, b"GET / HTTP/1.1\r\nHost: a%2\r\n\r\n"),
    "a host with a port of letters": (400, b"GET / HTTP/1.1\r\nHost: a:b\r\n\r\n"),
    "an IPv6 host that does not end": (400, b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"),
    "no IPv6 address in brackets": (400, b"GET / HTTP/1.1\r\nHost: [a]\r\n\r\n"),
    "a host behind brackets": (400, b"GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n"),
    "a tunnel": (501, b"CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"),
    "chunked twice": (400, A + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
    "another coding": (501, A + b"Transfer-Encoding: gzip, chunked\r\n\r\n"),
    "chunks in HTTP/1.0": (400, b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "another version": (505, b"GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
    "no version": (400, b"GET /\r\n\r\n"),
    "two spaces": (400, b"GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
    "a control in the target": (400, b"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n"),
    "TLS": (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    "a chunk's size without digits": (400, A + b"Transfer-Encoding: chunked\r\n\r\n\r\n"),
    "a signed chunk": (400, A + b"Transfer-Encoding: chunked\r\n\r\n+3\r\nabc\r\n"),
    "a chunk that is longer": (400, A + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n"),
    "a chunk with a bare LF": (400, A + b"Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n"),
    "a chunk of nine digits": (400, A + b"Transfer-Encoding: chunked\r\n\r\n000000003\r\nabc\r\n"),
    "a long target": (414, b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n"),
    "a long header": (431, A + b"X: " + b"a" * 17000),
    "many headers": (431, A + b"X: a\r\n" * 120),
    "a long body": (413, A + b"Content-Length: 99999999\r\n\r\n"),
    "long chunks": (413, A + b"Transfer-Encoding: chunked\r\n\r\nffffff\r\n" + b"a" * 1100000),
}


@pytest.mark.parametrize("request_", REFUSED)
def test_what_could_be_smuggled_is_refused(request_: str, shared: Served) -> None:
    """The server sends one answer and closes. Bytes after the refused request are never read as
    another request."""
    status, sent = REFUSED[request_]
    answer = shared.ask(sent + b"GET /json HTTP/1.1\r\nHost: a\r\n\r\n")
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"Connection: close\r\n" in answer
    assert shared.ask(END).endswith(b"hello")


@pytest.mark.parametrize(
    "host", ["", "a", "a:", "A-b_c.d:8080", "127.0.0.1:80", "[::1]", "[2001:db8::1]:80", "a%20b"]
)
def test_every_form_of_a_host_is_accepted(host: str, shared: Served) -> None:
    sent = f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    assert shared.ask(sent.encode()).endswith(b"hello")


def test_who_is_slow_is_sent_away(serve: Serve) -> None:
    served = serve(SERVER.replace("LIMITS", "{ headMs: 1000, bodyMs: 1000, idleMs: 1000 }"))
    assert served.ask(b"GET / HT").startswith(b"HTTP/1.1 408 ")
    assert served.ask(A + b"Content-Length: 3\r\n\r\na").startswith(b"HTTP/1.1 408 ")
    assert served.ask(get("/")).count(b"hello") == 1
    assert served.ask() == b""


def test_a_client_may_finish_sending(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(get("/late") + get("/late"))
        connection.shutdown(1)
        assert until_closed(connection).count(b"\r\n\r\nlate") == 2


@pytest.mark.parametrize("path", ["/big", "/flood"])
def test_who_reads_slowly_gets_all_and_keeps_nobody_waiting(path: str, served: Served) -> None:
    with served.connect() as slow:
        slow.sendall(get(path) + END)
        assert served.ask(END).endswith(b"hello")
        received = until_closed(slow)
    assert received.count(b"x") >= 8_000_000
    assert received.endswith(b"hello")


def test_who_goes_away_leaves_nothing_behind(serve: Serve) -> None:
    served = serve(
        SERVER.replace("LIMITS", "{}") + "routes['/open'] = () => String(server.connections);"
    )
    for path in ("/late", "/big", "/flood", "/"):
        for _ in range(5):
            with served.connect() as connection:
                connection.sendall(get(path))
    for _ in range(200):
        if served.ask(get("/open", "Connection: close")).endswith(b"\r\n\r\n1"):
            return
        served.ask(get("/late", "Connection: close"))
    pytest.fail("connections are still held")


def test_a_stream_ends_when_its_client_is_gone(served: Served) -> None:
    """The connection of the next client may have the number of the last one."""
    clients = 4
    for _ in range(clients):
        with served.connect() as connection:
            connection.sendall(get("/endless"))
            while b"tick;" not in connection.recv(65536):
                pass
    expected = str(clients).encode()
    for _ in range(200):
        if body_of(served.ask(get("/ended", "Connection: close"))) == expected:
            return
        served.ask(get("/late", "Connection: close"))
    pytest.fail("a stream has not ended")


def test_a_synchronous_iterable_leaves_time_for_other_clients(served: Served) -> None:
    """No part of it has to wait for its client: the kernel holds all of them."""
    answer = served.ask(get("/turns", "Connection: close"))
    assert answer.endswith(b"turned\r\n0\r\n\r\n")


def test_an_answer_to_head_has_no_parts(served: Served) -> None:
    head = served.ask(get("/endless").replace(b"GET", b"HEAD") + END)
    assert b"Transfer-Encoding: chunked\r\n\r\nHTTP/1.1 200 OK" in head
    assert b"tick" not in head


def test_a_status_without_body_cannot_be_streamed(served: Served) -> None:
    """The parts would be read as the next answer."""
    answer = served.ask(get("/none-parts") + END)
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert answer.endswith(b"hello")


def test_a_part_that_is_not_text_or_bytes_ends_the_connection(served: Served) -> None:
    answer = served.ask(get("/number") + END)
    assert answer.endswith(b"\r\n1\r\na\r\n")


def test_a_client_of_http_1_0_is_not_told_to_continue(served: Served) -> None:
    head = b"POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    assert served.ask(head + b"hi").startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("{ port: 70000 }", "port must be a whole number from 0 to 65535, not 70000"),
        ("{ port: Number(undefined) }", "port must be a whole number from 0 to 65535, not NaN"),
        ("{ limits: { headMs: -1 } }", "headMs must be a whole number from 1 to 2147483647"),
        ("{ limits: { idelMs: 5 } }", "there is no limit idelMs; there are headMs, bodyMs"),
    ],
)
def test_a_wrong_option_is_refused(options: str, said: str, run: Run) -> None:
    done = run(f"import {{ serve }} from 'sparrow:http';\nserve({options}, () => '');")
    assert f"RangeError: {said}" in done.stderr
    assert done.returncode == 1


def test_a_unix_socket_that_nobody_listens_at_is_replaced(run: Run) -> None:
    done = run(
        "import { serve } from 'sparrow:http';\n"
        "import { write } from 'sparrow:files';\n"
        "const host = `${import.meta.dirname}/socket`;\n"
        "await serve({ host }, () => '').stop();\n"
        "const again = serve({ host }, () => '');\n"
        "const attempt = (host) => { try { serve({ host }, () => ''); }\n"
        "  catch (error) { console.log(error.code); } };\n"
        "attempt(host);\n"
        "write(`${import.meta.dirname}/file`, '');\n"
        "attempt(`${import.meta.dirname}/file`);\n"
        "await again.stop();"
    )
    assert done.stdout == "EADDRINUSE\nEADDRINUSE\n", done.stderr


def test_the_end_is_graceful(served: Served) -> None:
    with served.connect() as idle, served.connect() as busy:
        idle.sendall(get("/"))
        assert idle.recv(65536).endswith(b"hello")
        busy.sendall(get("/late"))
        served.process.send_signal(signal.SIGTERM)
        assert until_closed(idle) == b""
        assert until_closed(busy).endswith(b"late")
    assert served.process.wait(60) == 0
    assert served.process.stdout is not None
    assert served.process.stdout.read() == "stopped\n"


def test_a_port_in_use_is_an_error_with_a_code(served: Served, run: Run) -> None:
    done = run(
        "import { serve } from 'sparrow:http';\n"
        f"try {{ serve({{ port: {served.port} }}, () => ''); }}\n"
        "catch (e) { console.log(e.code); }"
    )
    assert done.stdout == "EADDRINUSE\n"


IN_USE = "cannot be listened on: Address already in use; end the program that listens there, or"
LISTEN = {
    "serve": "import { serve } from 'sparrow:http'; serve({ port: PORT, share: true }, () => '');",
    "listen": "import { listen } from 'sparrow:tcp'; listen({ port: PORT, share: true });",
    "late": "import { listen } from 'sparrow:tcp'; await 0; listen({ port: PORT, share: true });",
    "workers": "import { startWorkers, worker } from 'sparrow:workers';\n"
    "import { serve } from 'sparrow:http';\n"
    "if (worker) serve({ port: PORT, share: true }, () => '');\n"
    "else process.exitCode = (await Promise.all(startWorkers(3).map((one) => one.ended)))[0];",
}


@pytest.mark.parametrize("options", [(), ("--workers=3",), ("--threads=3",)])
@pytest.mark.parametrize("source", LISTEN)
def test_an_address_in_use_is_one_line(
    source: str, options: tuple[str, ...], served: Served, run: Run
) -> None:
    done = run(LISTEN[source].replace("PORT", str(served.port)), *options)
    place = f"127.0.0.1 port {served.port}"
    assert done.stderr == f"sparrow: {place} {IN_USE} choose another port\n"
    assert (done.stdout, done.returncode) == ("", 2)


def test_a_port_that_workers_do_not_share_is_one_line(served: Served, run: Run) -> None:
    source = LISTEN["serve"].replace("PORT", str(served.port)).replace(", share: true", "")
    for option in ("--workers=2", "--threads=2"):
        done = run(source, option)
        assert done.stderr.endswith(f"{IN_USE} set the option share for workers\n")
        assert (done.stderr.count("\n"), done.returncode) == (1, 2)
