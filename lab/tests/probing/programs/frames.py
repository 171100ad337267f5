"""Makes and discards frames in every way, while a timer causes many more samples than the probe's
own clock. Each function is called only by those that `CALLERS` in the test names.

Each round of work gets one signal, at a random moment. A periodic timer could leave no time for the
work: on a busy machine, a sample can take longer than the period."""

import ctypes
import random
import signal
import time

ROUNDS = 4000
LEAST_NS = 1000

libc = ctypes.CDLL(None)
timer = ctypes.c_void_p()


def make_timer():
    """A timer that sends the sampler's signal (timer_create(2)), on CLOCK_MONOTONIC."""
    event = (ctypes.c_int * 16)(0, 0, signal.SIGURG, 0)  # the value, the signal, SIGEV_SIGNAL
    assert libc.timer_create(time.CLOCK_MONOTONIC, event, ctypes.byref(timer)) == 0


def start_timer(within_ns):
    """Sends a signal once, within this time."""
    delay_ns = random.randrange(LEAST_NS, within_ns)
    once = (ctypes.c_long * 4)(0, 0, 0, delay_ns)  # no period, and the delay
    assert libc.timer_settime(timer, 0, once, None) == 0


def deep(depth):
    if depth == 0:
        raise KeyError
    return deep(depth - 1) + 1


def nested(depth):
    return 0 if depth == 0 else sorted([depth], key=back)[0]


def back(depth):
    return nested(depth - 1)


def count_up():
    number = 0
    while True:
        yield number
        number += 1


def delegating():
    yield from count_up()


def half_way():
    for number in delegating():
        if number == 5:
            return number
    return None


class Made:
    def __init__(self):
        self.number = half_way()


def work():
    try:
        deep(300)
    except KeyError:
        pass
    nested(40)
    Made()


def measured_ns():
    """The time that a round takes: the shortest of several."""
    times = []
    for _ in range(20):
        began_ns = time.monotonic_ns()
        work()
        times.append(time.monotonic_ns() - began_ns)
    return min(times)


make_timer()
round_ns = measured_ns()
for _ in range(ROUNDS):
    start_timer(round_ns)
    work()
print("done")
