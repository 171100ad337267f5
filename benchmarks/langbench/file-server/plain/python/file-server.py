"""A file server, written from the contract alone in Python 3.6
(langbench/file-server/contract.md). A connection is a thread."""

import os
import resource
import signal
import socket
import threading
import time

from harness.python.harness import Options, UsageError, quoted
from harness.services.python.service import serve

from .connection import converse
from .response import Counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, Set

STOP_LIMIT_S = 2.0
SHORTAGE_PAUSE_S = 0.01


class Server:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.changed = threading.Condition()
        self.stopping = False
        self.clients: "Set[socket.socket]" = set()
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
            for one in (listening, *self.clients):
                try:
                    one.shutdown(socket.SHUT_RD)
                except OSError:
                    pass  # the client has left
            self.changed.wait_for(lambda: not self.clients, STOP_LIMIT_S)

    def accept(self, listening: socket.socket) -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                if self.stopping:
                    return
                time.sleep(SHORTAGE_PAUSE_S)  # too many files are open
                continue
            with self.changed:
                if self.stopping:
                    return
                self.clients.add(client)
            try:
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()
            except RuntimeError:  # no thread can be started
                self.end(client, Counts())

    def serve(self, client: socket.socket) -> None:
        counts = Counts()
        try:
            converse(client, self.folder, counts)
        except OSError:
            pass  # the client has left
        self.end(client, counts)

    def end(self, client: socket.socket, counts: Counts) -> None:
        with self.changed:
            self.clients.discard(client)
            self.ended.add(counts)
            self.changed.notify_all()
        client.close()


def load(options: Options) -> str:
    folder = os.path.join(options["input"], "files")
    try:
        os.listdir(folder)
    except OSError as error:
        where = quoted(options["input"])
        raise UsageError(f"input {where} cannot be read: {error.strerror}") from error
    return folder


def work(
    folder: str, listening: socket.socket, ready: "Callable[[], None]", _number: int
) -> "Dict[str, int]":
    server = Server(folder)
    server.run(listening, ready)
    return vars(server.ended)


if __name__ == "__main__":
    serve("file-server", load, work, "plain")
