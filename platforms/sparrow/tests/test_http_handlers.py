"""Tests of what handlers of the HTTP server do: their answers, and what they keep and start."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from .conftest import Run, Served

Serve = Callable[[str], Served]

SERVER = """
import { serve, text } from 'sparrow:http';
let kept;
const cookies = [['Set-Cookie', 'a=1'], ['Set-Cookie', 'b=2']];
const routes = {
  '/': () => 'hello',
  '/promise': async () => 'promised',
  '/typed': () => text('<a/>', { headers: { 'content-type': 'text/xml', Server: 'own' } }),
  '/json': (request) => `${request.json + 1} of ${request.bytes.length} bytes`,
  '/cookies': () => text('', { headers: new Headers(cookies) }),
  '/keep': (request) => { kept = request; return 'kept'; },
  '/kept': () => `${kept.header('X-A')} ${kept.headers.length}`,
  '/about': (request) => text(about(request)),
  '/later': async (request) => { await null; return about(request); },
  '/fails': (request) => { throw new Error(about(request)); },
  '/stop': () => { server.stop(); return 'stops'; },
  '/text': (request) => {
    const [before, code] = request.search.split(',');
    return `${'v'.repeat(before)}${String.fromCharCode(code)}v`;
  },
};
const about = ({ method, target, text }) => `${method} ${target} ${text}`;
const server = serve({}, (request) => routes[request.path](request));
console.log(server.port);
setTimeout(() => process.exit(1), 120000);
"""


@pytest.fixture
def served(serve: Serve) -> Served:
    return serve(SERVER)


def get(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: a", *headers, "", ""]).encode()


def test_pipelined_answers_of_promises_do_not_wait_for_the_clock(served: Served) -> None:
    """The loop has no other events: by itself, it goes on once in a second."""
    answers = served.ask(get("/promise") * 100 + get("/", "Connection: close"))
    assert answers.count(b"promised") == 100


def bodies(answers: bytes) -> list[bytes]:
    return [answer.partition(b"\r\n\r\n")[2] for answer in answers.split(b"HTTP/1.1 ")[1:]]


def test_each_request_of_a_pipeline_has_its_own_parts(served: Served) -> None:
    """They arrive in one packet, and are answered at once, later, or with an error."""
    asked, expected = b"", []
    kinds = product(("/about", "/later", "/about", "/fails"), ("POST", "GET", "PROPFIND"), "abc")
    for number, (path, method, letter) in enumerate(kinds):
        body = letter * (number % 3)
        lines = get(f"{path}?{number}", f"Content-Length: {len(body)}", "Expect: 100-continue")
        asked += lines.replace(b"GET", method.encode()) + body.encode()
        failed = path == "/fails"
        expected.append("internal error" if failed else f"{method} {path}?{number} {body}")
    answers = served.ask(asked + get("/", "Connection: close"))
    answers = answers.replace(b"HTTP/1.1 100 Continue\r\n\r\n", b"")
    assert bodies(answers) == [text.encode() for text in [*expected, "hello"]]


def test_a_server_may_stop_in_a_pipeline(served: Served) -> None:
    """A client gets no answer to the requests that it sent after the request that stops the
    server."""
    answers = served.ask(get("/") + get("/stop") + get("/"))
    assert bodies(answers) == [b"hello", b"stops"]
    assert answers.count(b"Connection: close") == 1
    assert b"Connection: close" in answers.partition(b"hello")[2]


def test_a_text_is_sent_in_utf_8(served: Served) -> None:
    """Eight characters at once are tested for whether they need an encoding."""
    texts = list(product(range(18), (0x7F, 0x80, 0xFF, 0x100, 0xFFFD)))
    asked = b"".join(get(f"/text?{before},{code}") for before, code in texts)
    answers = served.ask(asked + get("/text?1,55296", "Connection: close"))  # half a character
    expected = [f"{'v' * before}{chr(code)}v" for before, code in [*texts, (1, 0xFFFD)]]
    assert bodies(answers) == [text.encode() for text in expected]


def test_a_request_that_was_answered_has_not_the_headers_of_the_next(served: Served) -> None:
    last = get("/kept", "X-A: secret", "Connection: close")
    assert served.ask(get("/keep", "X-A: 1") + last).endswith(b"\r\n\r\nundefined 0")


def test_headers_of_a_reply_replace_those_of_the_server(served: Served) -> None:
    head, _, _ = served.ask(get("/typed", "Connection: close")).partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    assert [line for line in lines if line.startswith((b"server", b"content-type"))] == [
        b"content-type: text/xml",
        b"server: own",
    ]


def test_a_server_that_cannot_be_is_refused_before_its_port_is_open(run: Run) -> None:
    """A port that stayed open would keep the program from its end."""
    done = run(
        "import { serve } from 'sparrow:http';\n"
        "for (const given of [{ server: 'a\\n' }, { tls: { cert: 5, key: 5 } }]) {\n"
        "  try { serve(given, () => ''); } catch ({ message }) { console.log(message); }\n"
        "}"
    )
    assert done.stdout.splitlines() == [
        "the value of the header server contains a character that no header may contain",
        "TLS: a certificate or key must be a text, bytes or the path of a file",
    ]
    assert done.returncode == 0


def test_a_mark_of_the_byte_order_is_no_part_of_a_body(served: Served) -> None:
    post = get("/json", "Connection: close", "Content-Length: 4").replace(b"GET", b"POST")
    assert served.ask(post + "\ufeff5".encode()).endswith(b"\r\n\r\n6 of 4 bytes")


def test_a_handler_may_start_a_server(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the loop goes through so many servers that there is no room for one more."""
    monkeypatch.setenv("MALLOC_PERTURB_", "165")  # what was freed has another content
    done = run(
        "import { serve } from 'sparrow:http';\n"
        "const ask = async (port) => (await fetch(`http://127.0.0.1:${port}`)).text();\n"
        "const start = async () => { await null; return String(serve({}, () => 'late').port); };\n"
        "const servers = Array.from({ length: 60 }, () => serve({}, start));\n"
        "const ports = [];\n"
        "for (const { port } of servers.slice(0, 9)) ports.push(await ask(port));\n"
        "for (const port of ports) console.log(await ask(port));\n"
        "process.exit();"
    )
    assert (done.stdout, done.stderr) == ("late\n" * 9, "")


def test_a_reply_takes_headers_of_the_web(served: Served) -> None:
    answer = served.ask(get("/cookies", "Connection: close"))
    assert b"\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n" in answer


# Prints how many megabytes more the process has after the requests of 100 further connections.
HELD = """
import { serve } from 'sparrow:http';
import { memory } from 'sparrow:process';
import { connect } from 'sparrow:tcp';
const server = serve({}, (request) => String(request.bytes.length));
const head = 'POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 1000000\\r\\n\\r\\n';
const sent = new TextEncoder().encode(head + 'x'.repeat(1e6));
async function posted(count) {
  for (let i = 0; i < count; i++) {
    const connection = await connect('127.0.0.1', server.port);
    const answered = new Promise((resolve) => { connection.ondata = resolve; });
    connection.write(sent);
    await answered;
  }
  gc();
  return memory().rss / 1e6;
}
const before = await posted(100); // the garbage of so many
console.log((await posted(100)) - before);
process.exit();
"""


def test_a_connection_does_not_keep_the_memory_of_a_body(run: Run) -> None:
    done = run(HELD, "--v8=--expose-gc")
    assert float(done.stdout) < 50, done.stderr
