"""A server of keys and values, written from the contract alone in Python 3.6
(langbench/key-value/contract.md). A connection is a thread."""

import resource
import signal
import socket
import threading
import time

from harness.python.harness import Options
from harness.services.python.service import serve

from .requests import ProtocolError, next_request
from .session import Session, error
from .store import Counts, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict

LEAVE_LIMIT_S = 1.0
SHORTAGE_PAUSE_S = 0.01


class Server:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.changed = threading.Condition()
        self.stopping = False
        self.sessions: "Dict[Session, socket.socket]" = {}
        self.ended = Counts()

    def run(self, listening: socket.socket, ready: "Callable[[], None]") -> None:
        """Serve until SIGTERM."""
        _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        threading.Thread(target=self.accept, args=(listening,), daemon=True).start()
        ready()
        signal.sigwait([signal.SIGTERM])
        with self.changed:
            self.stopping = True
            listening.shutdown(socket.SHUT_RDWR)
            for connection in self.sessions.values():
                try:
                    connection.shutdown(socket.SHUT_RD)
                except OSError:
                    pass  # the client has closed it
            self.changed.wait_for(lambda: not self.sessions, LEAVE_LIMIT_S)

    def accept(self, listening: socket.socket) -> None:
        while not self.stopping:
            try:
                connection, _ = listening.accept()
            except OSError:
                time.sleep(SHORTAGE_PAUSE_S)  # too many files are open
                continue
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        session = Session(self.store, self.sum)
        with self.changed:
            self.sessions[session] = connection
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            converse(connection, session)
        except OSError:
            pass  # a reset by the client is an end like any other
        with self.changed:
            del self.sessions[session]
            self.ended.add(session.counts)
            self.changed.notify_all()
        connection.close()

    def sum(self) -> Counts:
        """The counts of all connections, open and closed."""
        total = Counts()
        with self.changed:
            total.add(self.ended)
            for session in self.sessions:
                total.add(session.counts)
        return total


def converse(connection: socket.socket, session: Session) -> None:
    with connection.makefile("rb") as reader:
        try:
            while session.open:
                words = next_request(reader)
                if words:
                    connection.sendall(session.reply(words))
        except ProtocolError as mistake:
            connection.sendall(error(b"ERR Protocol error: " + str(mistake).encode("latin-1")))
        except EOFError:
            pass


def load(options: Options) -> Store:
    keys, rows = int(options["keys"]), int(options["rows"])
    capacity = int(options["capacity_bytes"])
    if rows == 0 and options["workload"] == "spread":
        rows = 1
        while rows < keys:
            rows *= 2
    elif rows == 0:
        rows = 1024
    if capacity == 0 and options["workload"] == "capped":
        capacity = max(1, keys * int(options["value_bytes"]) * 3 // 4)
    return Store(rows, capacity, counting="count" in options)


def work(
    store: Store, listening: socket.socket, ready: "Callable[[], None]", _number: int
) -> "Dict[str, int]":
    server = Server(store)
    server.run(listening, ready)
    return server.sum().counters(store.entries())


if __name__ == "__main__":
    serve("key-value", load, work, "plain")
