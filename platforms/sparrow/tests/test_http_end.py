"""Tests of how the connections of the HTTP server end."""

from __future__ import annotations

import json
import re
import signal
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import LIMIT_S, Run, Served, until_closed

Serve = Callable[[str], Served]

SERVER = """
import { status } from 'sparrow:files';
import { serve, text } from 'sparrow:http';
import { onSignal } from 'sparrow:process';
import { sleep } from 'sparrow:timers';

const stopped = Promise.withResolvers();
let release;
const routes = {
  '/': () => 'hello',
  '/big': () => 'x'.repeat(3e7),
  '/parts': () => text(parts()),
  // This thenable answers from within `release`.
  '/held': () => ({ then(resolve) { release = () => resolve('held'); } }),
  '/later': () => new Promise((resolve) => {
    release = () => resolve('late');
    console.log('waits');
  }),
  '/release': () => { release(); return 'released'; },
  '/busy': () => {
    console.log('busy');
    while (status(`${import.meta.dirname}/go on`) === undefined);
    return 'was busy';
  },
};
async function* parts() {
  yield 'first;';
  await stopped.promise;
  yield 'last;';
}
const limits = { idleMs: 600000, writeMs: 600000 };
const server = serve({ limits }, (request) => routes[request.path]());
console.log(server.port);
onSignal('SIGTERM', async () => {
  const end = server.stop();
  await sleep(50); // the idle connections have ended
  console.log('stops');
  stopped.resolve();
  await end;
  console.log('stopped');
});
"""


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()


def line_of(served: Served) -> str:
    assert served.process.stdout is not None
    return served.process.stdout.readline()


@pytest.mark.parametrize(("path", "last"), [("/parts", b"last;\r\n0\r\n\r\n"), ("/big", b"xxx")])
def test_a_connection_ends_when_its_answer_ends_after_the_stop(
    path: str, last: bytes, serve: Serve
) -> None:
    """The answer began before the stop, so it does not say that the connection will close."""
    served = serve(SERVER)
    with served.connect() as connection:
        connection.settimeout(20)
        connection.sendall(get(path))
        assert connection.recv(1).startswith(b"H")
        served.process.send_signal(signal.SIGTERM)
        assert line_of(served) == "stops\n"
        assert until_closed(connection).endswith(last)
    assert line_of(served) == "stopped\n"


def wait_for_a_signal(pid: int) -> None:
    """Until the handler of a signal has told the loop by an eventfd, which it has not read."""
    told = re.compile(r"^eventfd-count: +[1-9a-f]", re.MULTILINE)
    for _ in range(1000):
        if any(told.search(file.read_text()) for file in Path(f"/proc/{pid}/fdinfo").iterdir()):
            return
        time.sleep(0.01)
    pytest.fail("the signal does not arrive")


def test_who_is_connected_before_the_stop_is_served(serve: Serve, tmp_path: Path) -> None:
    """The loop hears of the signal first, and then of the client."""
    served = serve(SERVER)
    with served.connect() as busy:
        busy.sendall(get("/busy"))
        assert line_of(served) == "busy\n"
        served.process.send_signal(signal.SIGTERM)
        wait_for_a_signal(served.process.pid)
        with served.connect() as late:
            late.sendall(get("/"))
            (tmp_path / "go on").touch()
            assert until_closed(late).endswith(b"hello")


def test_a_client_may_be_gone_when_its_answer_is_ready(serve: Serve, tmp_path: Path) -> None:
    """In one turn, the loop hears of the request that makes it ready, and then of the end."""
    served = serve(SERVER)
    with served.connect() as gone, served.connect() as other, served.connect() as busy:
        other.sendall(get("/"))
        assert other.recv(65536).endswith(b"hello")
        gone.sendall(get("/later"))
        assert line_of(served) == "waits\n"
        busy.sendall(get("/busy"))
        assert line_of(served) == "busy\n"
        other.sendall(get("/release"))
        gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.close()  # with a reset
        (tmp_path / "go on").touch()
        assert other.recv(65536).endswith(b"released")
    last = get("/")[:-2] + b"Connection: close\r\n\r\n"
    assert served.ask(last).endswith(b"hello")


def test_a_request_that_waits_is_answered_after_its_client_has_finished_sending(
    serve: Serve, tmp_path: Path
) -> None:
    """The loop sees in one turn that the first request is answered, and that no more will come."""
    served = serve(SERVER)
    with served.connect() as busy, served.connect() as other, served.connect() as connection:
        other.sendall(get("/"))
        assert other.recv(65536).endswith(b"hello")
        connection.sendall(get("/held") + get("/"))
        busy.sendall(get("/busy"))
        assert line_of(served) == "busy\n"
        other.sendall(get("/release"))
        connection.shutdown(1)
        (tmp_path / "go on").touch()
        answers = until_closed(connection)
    assert b"\r\n\r\nheld" in answers
    assert answers.endswith(b"\r\n\r\nhello")


def test_who_does_not_read_an_answer_is_sent_away(serve: Serve) -> None:
    """Also if no request waits behind it: the limit is not that of idle connections."""
    source = SERVER.replace("writeMs: 600000", "writeMs: 100")
    served = serve(f"{source}routes['/open'] = () => String(server.connections);")
    with served.connect() as deaf:
        deaf.sendall(get("/big"))
        assert deaf.recv(1) == b"H"
        count = get("/open")[:-2] + b"Connection: close\r\n\r\n"
        deadline_s = time.monotonic() + LIMIT_S
        while not served.ask(count).endswith(b"\r\n\r\n1"):
            assert time.monotonic() < deadline_s
            time.sleep(0.1)


# The client has finished sending, so the last answer ends its connection and thereby the server.
FINISHED = """
import { serve } from 'sparrow:http';
import { connect } from 'sparrow:tcp';
import { sleep } from 'sparrow:timers';

const server = serve({}, async () => {
  server.stop().then(() => console.log('stopped'));
  await sleep(1); // the loop's next turn
  return 'last';
});
const client = await connect('127.0.0.1', server.port);
client.ondata = (bytes) => console.log(new TextDecoder().decode(bytes).slice(-4));
client.write(new TextEncoder().encode('GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'));
client.end();
"""


def test_the_last_answer_may_end_its_server(run: Run) -> None:
    done = run(FINISHED)
    assert sorted(done.stdout.splitlines()) == ["last", "stopped"], done.stderr
    assert done.returncode == 0


# Prints how many bytes more the process and its heap have after 500 further servers.
STOPPED = """
import { serve } from 'sparrow:http';
import { memory } from 'sparrow:process';
import { sleep } from 'sparrow:timers';
async function started(count) {
  for (let i = 0; i < count; i++) {
    await serve({}, () => '').stop();
    await sleep(0); // the loop's next turn
  }
  gc();
  return memory();
}
const before = await started(100);
const after = await started(500);
console.log(JSON.stringify([after.rss - before.rss, after.heapUsed - before.heapUsed]));
"""


def test_a_stopped_server_leaves_no_memory_behind(run: Run) -> None:
    done = run(STOPPED, "--v8=--expose-gc")
    process, heap = json.loads(done.stdout)
    assert process < 15_000_000
    assert heap < 100_000


# The second request is answered when its client, which does not read the first answer, and its
# server are gone.
LATE = """
import { json, serve, text } from 'sparrow:http';
import { connect } from 'sparrow:tcp';
import { sleep } from 'sparrow:timers';

const arrived = Promise.withResolvers();
const answer = Promise.withResolvers();
const server = serve({}, (request) => {
  if (request.path === '/') return 'unread';
  arrived.resolve(request);
  return answer.promise;
});
const client = await connect('127.0.0.1', server.port);
client.pause(true); // so that its end is a reset
const get = (path) => `GET ${path} HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n`;
client.write(new TextEncoder().encode(get('/') + get('/late')));
const request = await arrived.promise;
const stopped = server.stop();
client.close();
await stopped;
await sleep(1); // the loop's next turn
answer.resolve(REPLY);
await sleep(1);
console.log(request.header('host'), request.headers.length, server.connections);
await server.stop();
"""


@pytest.mark.parametrize(
    "reply", ["'text'", "json({})", "text('', { headers: { A: 'b' } })", "text(['a'])", "5"]
)
def test_an_answer_may_come_when_its_server_has_stopped(reply: str, run: Run) -> None:
    done = run(LATE.replace("REPLY", reply))
    assert (done.stdout, done.returncode) == ("undefined 0 0\n", 0), done.stderr
