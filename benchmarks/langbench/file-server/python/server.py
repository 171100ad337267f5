"""A server that has a thread for each connection and runs until SIGTERM."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import threading
import time
from typing import Callable, Mapping, Set

from harness.python.harness import Options, UsageError, quoted

from .connection import Connection
from .counts import Counts

STOP_LIMIT_S = 2.0
MOST_OPEN_FILES = 4096  # 1,024 connections, each with a file
ACCEPT_PAUSE_S = 0.01


def load(options: Options) -> str:
    """The folder that is served. Raises UsageError if it is not a folder."""
    path = options["input"]
    try:
        folder = os.path.join(path, "files")
        os.scandir(folder).close()
        return folder
    except OSError as error:
        raise UsageError(f"input {quoted(path)} cannot be read: {error.strerror}") from error


def work(
    folder: str, listening: socket.socket, ready: Callable[[], None], _number: int
) -> Mapping[str, int]:
    # The signal is blocked in this thread and all threads that it starts, so that only sigwait
    # receives it.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    allow_open_files()
    server = Server(listening, folder)
    threading.Thread(target=server.accept, daemon=True).start()
    ready()
    signal.sigwait([signal.SIGTERM])
    server.stop()
    return vars(server.counts)


def allow_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MOST_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Server:
    """A listening socket and the connections that it accepted."""

    def __init__(self, listening: socket.socket, folder: str) -> None:
        self._listening = listening
        self._folder = folder
        self.counts = Counts()
        self._clients: Set[socket.socket] = set()
        self._changed = threading.Condition()
        self._stopping = False

    def accept(self) -> None:
        """Take connections until the server stops."""
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                if self._stopping:
                    return
                time.sleep(ACCEPT_PAUSE_S)  # the client is already gone, or too many files are open
                continue
            with self._changed:
                if self._stopping:
                    client.close()
                    return
                self._clients.add(client)
            try:
                threading.Thread(target=self._converse, args=(client,), daemon=True).start()
            except RuntimeError:  # no further thread can be started
                self._forget(client)

    def stop(self) -> None:
        """Wait for a limited time until the requests under way are answered."""
        with self._changed:
            self._stopping = True
            # This wakes the thread that accepts connections, and ends the threads that wait for a
            # request.
            for one in (self._listening, *self._clients):
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RD)
            self._changed.wait_for(lambda: not self._clients, STOP_LIMIT_S)

    def _converse(self, client: socket.socket) -> None:
        try:
            connection = Connection(client)
            connection.converse(self._folder)
            with self._changed:
                self.counts.add(connection.counts)
        finally:
            self._forget(client)

    def _forget(self, client: socket.socket) -> None:
        with self._changed:
            self._clients.discard(client)
            self._changed.notify()
        client.close()
