"""What a CPython executes when it does a bit of everything: `mixed.py TIMES [counted]`.

It calls `target` TIMES times. With `counted`, the bytecodes of one more call are counted by the
interpreter's own means (sys.monitoring, or sys.settrace before 3.12) and printed as JSON.
"""

import json
import sys
from collections import Counter, deque
from itertools import repeat, starmap

BOARD = "534678912672195000098000060800060003400803001700020006060000280000419005000080079"


def fits(board, row, column, digit):
    for at in range(9):
        if board[row][at] == digit or board[at][column] == digit:
            return False
    first_row, first_column = row // 3 * 3, column // 3 * 3
    for down in range(3):
        for right in range(3):
            if board[first_row + down][first_column + right] == digit:
                return False
    return True


def solve(board):
    for row in range(9):
        for column in range(9):
            if board[row][column] == 0:
                for digit in range(1, 10):
                    if fits(board, row, column, digit):
                        board[row][column] = digit
                        if solve(board):
                            return True
                        board[row][column] = 0
                return False
    return True


def squares(count):
    for at in range(count):
        yield at * at


class Pair:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def __lt__(self, other):
        return self.left < other.left

    @property
    def sum(self):
        return self.left + self.right


def risky(number):
    try:
        if number % 3 == 0:
            raise ValueError(number)
        return [1, 2][number % 3]
    except ValueError:
        return -1
    except IndexError:
        return -2


def fibonacci(number):
    return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)


def target():
    solve([[int(BOARD[9 * row + column]) for column in range(9)] for row in range(9)])
    total = sum(squares(20)) + fibonacci(8)
    pairs = sorted(Pair(at * 7 % 11, at) for at in range(11))
    total += sum(pair.sum for pair in sorted(pairs, key=lambda pair: -pair.left))
    total += sum(map(risky, range(9)))
    names = {str(at): at for at in range(5)}
    total += names["3"] + len("".join(each for each in "hello" if each != "l"))
    with open("/dev/null") as nothing:
        total += len(nothing.read())
    quotient, rest = divmod(total, 7)
    return quotient - rest


def counted(function):
    """Bytecode → executions in one call, by its general name."""
    places = Counter()
    if sys.version_info >= (3, 12):
        monitoring = sys.monitoring
        monitoring.use_tool_id(1, "reference")

        def see(code, offset):
            places[code, offset] += 1

        monitoring.register_callback(1, monitoring.events.INSTRUCTION, see)
        monitoring.set_events(1, monitoring.events.INSTRUCTION)
        function()
        monitoring.set_events(1, 0)
    else:

        def trace(frame, event, _):
            frame.f_trace_opcodes = True
            if event == "opcode":
                places[frame.f_code, frame.f_lasti] += 1
            return trace

        sys.settrace(trace)
        function()
        sys.settrace(None)
    import dis  # noqa: PLC0415

    names = Counter()
    known = {}
    own = {counted.__code__, *(each for each in counted.__code__.co_consts)}
    for (code, offset), count in places.items():
        if code in own:
            continue
        if code not in known:
            known[code] = {each.offset: each.opname for each in dis.get_instructions(code)}
        names[known[code][offset]] += count
    return names


if __name__ == "__main__":
    # From C, so that a call more is `target` once more and nothing else.
    deque(starmap(target, repeat((), int(sys.argv[1]))), 0)
    if len(sys.argv) > 2:
        print(json.dumps(counted(target)))
