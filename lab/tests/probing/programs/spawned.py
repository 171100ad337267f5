"""Spawns as libuv does: the child is forked with every signal blocked, resets the handlers, takes
the signals, and only then calls exec. A sample that was taken meanwhile must not end it."""

import os
import signal
import sys
import time

every = set(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP}
for _ in range(3):
    signal.pthread_sigmask(signal.SIG_BLOCK, every)
    child = os.fork()
    if child == 0:
        until = time.process_time() + 0.05
        while time.process_time() < until:
            pass
        for number in every:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, every)
        os.execv("/bin/true", ["true"])
    signal.pthread_sigmask(signal.SIG_UNBLOCK, every)
    print(os.waitpid(child, 0)[1])
sys.exit(0)
