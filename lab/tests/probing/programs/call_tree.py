"""The same work at the ends of five call paths: under recursion, in a generator, in the handler of
an exception, in a thread, and in a function that C calls. Rounds differ in length, because periodic
samples could otherwise hit the same path in every round."""

import os
import threading

ROUNDS, STEPS, LENGTHS, STEP = 170, 12_000, 17, 389


def work(at):
    total = 0
    for step in range(STEPS + at % LENGTHS * STEP):
        total += step * step
    return total


def recursive(depth, at):
    return work(at) if depth == 0 else recursive(depth - 1, at)


def generated(at):
    for _ in range(2):
        yield
        work(at)


def consumer(at):
    for _ in generated(at):
        pass


def failing():
    raise KeyError


def handling(at):
    try:
        failing()
    except KeyError:
        work(at)


def key(at):
    return work(at)


def sorting(at):
    return sorted([at], key=key)


def threaded():
    for at in range(ROUNDS):
        begins.acquire()
        work(at)
        ended.release()


def main():
    for at in range(ROUNDS):
        begins.release()
        ended.acquire()
        recursive(3, at)
        consumer(at)
        handling(at)
        sorting(at)


# Both threads run on one processor, and the second thread works once in each round, while the main
# thread waits. If the processor is slower for a while, it is slower for all paths.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
begins, ended = threading.Lock(), threading.Lock()
begins.acquire()
ended.acquire()
thread = threading.Thread(target=threaded)
thread.start()
main()
thread.join()
