"""A server that handles each connection on a separate thread."""

from __future__ import annotations

import contextlib
import errno
import resource
import signal
import socket
import threading
import time
from typing import Callable, Dict, Set

from .replies import Replies, error
from .requests import ProtocolError, Requests
from .session import Session
from .statistics import Totals
from .store import Store

LEAVE_LIMIT_S = 1.0
# Errors that disappear when connections end. Until then new connections wait in the kernel.
SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
SHORTAGE_PAUSE_S = 0.01


class Server:
    """Serves the connections of a listening socket from one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._totals = Totals()
        self._connections: Set[socket.socket] = set()
        self._changed = threading.Condition()

    def run(self, listening: socket.socket, ready: Callable[[], None]) -> None:
        """Serve until SIGTERM."""
        _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        threading.Thread(target=self._accept, args=(listening,), daemon=True).start()
        ready()
        signal.sigwait([signal.SIGTERM])
        listening.shutdown(socket.SHUT_RDWR)
        with self._changed:
            for connection in self._connections:
                # Bytes that were already received are still read and answered.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)
            self._changed.wait_for(lambda: not self._connections, LEAVE_LIMIT_S)

    def counters(self) -> Dict[str, int]:
        return self._totals.sum().counters(self._store.entries())

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError as failure:
                if failure.errno == errno.EINVAL:  # the socket was shut down
                    return
                if failure.errno in SHORTAGES:
                    time.sleep(SHORTAGE_PAUSE_S)
                continue
            with self._changed:
                self._connections.add(connection)
            try:
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
            except RuntimeError:  # no thread can be started
                self._leave(connection)

    def _serve(self, connection: socket.socket) -> None:
        session = Session(self._store, self._totals)
        replies = Replies(connection)
        # If the client closes or resets the connection, this is a normal end.
        with contextlib.suppress(EOFError, OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            requests = Requests(connection, replies.send)
            try:
                while session.open:
                    words = requests.next()
                    if words:
                        replies.add(session.answer(words))
            except ProtocolError as mistake:
                replies.add(error(b"ERR Protocol error: %b" % str(mistake).encode("latin-1")))
            replies.send()
        session.end()
        self._leave(connection)

    def _leave(self, connection: socket.socket) -> None:
        with self._changed:
            self._connections.discard(connection)
            self._changed.notify_all()
        connection.close()
