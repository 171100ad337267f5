"""The same work at the ends of five call paths: under recursion, in a generator, in the handler of
an exception, in a thread, and in a function that C calls."""

import threading

ROUNDS, STEPS = 100, 15_000


def work():
    total = 0
    for step in range(STEPS):
        total += step * step
    return total


def recursive(depth):
    return work() if depth == 0 else recursive(depth - 1)


def generated():
    for _ in range(2):
        yield
        work()


def consumer():
    for _ in generated():
        pass


def failing():
    raise KeyError


def handling():
    try:
        failing()
    except KeyError:
        work()


def key(_):
    return work()


def sorting():
    return sorted([1], key=key)


def threaded():
    for _ in range(ROUNDS):
        work()


def main():
    for _ in range(ROUNDS):
        recursive(3)
        consumer()
        handling()
        sorting()


thread = threading.Thread(target=threaded)
thread.start()
main()
thread.join()
