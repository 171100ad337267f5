"""Frames left in every way: deep recursion, exceptions, signals that raise, generators closed half
way, call-backs from C, tracing switched on and off."""

import signal
import sys
import time


class Interrupted(Exception):
    pass


arrived = 0


def interrupt(number, frame):
    global arrived
    arrived += 1
    if arrived % 7 == 0:
        raise Interrupted


def deep(depth):
    if depth == 0:
        raise KeyError
    return deep(depth - 1) + 1


def nested(depth):
    return 0 if depth == 0 else sorted([depth], key=lambda _: nested(depth - 1))[0]


def count_up():
    number = 0
    try:
        while True:
            yield number
            number += 1
    finally:
        number = 0


def half_way():
    for number in count_up():
        if number == 5:
            return number
    return None


sys.setrecursionlimit(5_000)
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)


def work(end):
    while time.monotonic() < end:
        try:
            deep(500)
        except KeyError:
            pass
        nested(50)
        half_way()
        sys.settrace(lambda *_: None)
        half_way()
        sys.settrace(None)


end = time.monotonic() + 0.5
while True:
    try:
        work(end)
        break
    except Interrupted:
        pass
while True:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0)
        break
    except Interrupted:
        pass
sys.settrace(None)
assert arrived > 7
print("done")
