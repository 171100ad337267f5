"""Makes and discards frames in every way, while a timer causes many more samples than the probe's
own clock. Each function is called only by those that `CALLERS` in the test names."""

import ctypes
import signal
import time

PERIOD_NS = 300_000


def start_timer():
    """A timer that sends the sampler's signal (timer_create(2)), on CLOCK_MONOTONIC."""
    libc = ctypes.CDLL(None)
    event = (ctypes.c_int * 16)(0, 0, signal.SIGURG, 0)  # the value, the signal, SIGEV_SIGNAL
    timer = ctypes.c_void_p()
    assert libc.timer_create(time.CLOCK_MONOTONIC, event, ctypes.byref(timer)) == 0
    period = (ctypes.c_long * 4)(0, PERIOD_NS, 0, PERIOD_NS)
    assert libc.timer_settime(timer, 0, period, None) == 0


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


start_timer()
end = time.process_time() + 0.4
while time.process_time() < end:
    work()
print("done")
