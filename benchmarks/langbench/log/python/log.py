"""Search of logs by the CLP algorithm or by regular expressions: langbench/log/contract.md."""

from __future__ import annotations

from threading import Lock, Thread

from harness.python.harness import (
    FNV_OFFSET,
    Options,
    Text,
    UsageError,
    fnv1a,
    main,
    one_of,
    read_input,
)
from langbench.log.python.archive import Archive, Parser
from langbench.log.python.folder import QUERIES, lines_of, log_files, read_queries
from langbench.log.python.query import Plan, Query
from langbench.log.python.tokens import NUMBER_PLACEHOLDER, TOKEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Sequence, Tuple, Union

    # The work of a worker by its number, the number of workers, and who takes what each made.
    InParallel = Callable[[Callable[[int], Any], int, Callable[[int, Any], None]], None]
    Match = Tuple[int, bytes]  # the number of its file, and the line

MAX_THREADS = 1024
FORMS = ("indexed", "regex")


class Task:
    """What every iteration starts from."""

    def __init__(self, form: str, files: List[str], queries: List[Query], threads: int) -> None:
        self.form = form
        self.files = files
        self.queries = queries
        self.blocks = [
            range(len(files) * worker // threads, len(files) * (worker + 1) // threads)
            for worker in range(threads)
        ]


class Results:
    """The matches of every query, to which workers append theirs."""

    def __init__(self, queries: int) -> None:
        self.matches: List[List[Match]] = [[] for _ in range(queries)]
        self.archive: Union[Archive, None] = None  # kept, so that freeing it is not timed
        self.plans: List[Plan] = []

    def append(self, _worker: int, found: List[List[Match]]) -> None:
        for matches, own in zip(self.matches, found):  # noqa: B905 - strict came with 3.10
            matches.extend(own)

    def sort(self) -> None:
        for matches in self.matches:
            matches.sort(key=lambda match: match[0])


def indexed(task: Task, in_parallel: InParallel) -> Results:
    def parse(worker: int) -> Parser:
        parser = Parser()
        for file in task.blocks[worker]:
            parser.parse(read_input(task.files[file]))
        return parser

    def search(worker: int) -> List[List[Match]]:
        messages = archive.renumber(worker)
        return [
            [
                (file, line)
                for at, file in enumerate(task.blocks[worker])
                for line in plan.search(archive, messages[at])
            ]
            for plan in plans
        ]

    workers = len(task.blocks)
    parsers: Dict[int, Parser] = {}
    in_parallel(parse, workers, parsers.__setitem__)
    archive = Archive([parsers[worker] for worker in range(workers)])
    plans = [Plan(query, archive) for query in task.queries]
    results = Results(len(plans))
    in_parallel(search, workers, results.append)
    results.sort()
    results.archive, results.plans = archive, plans
    return results


def regex(task: Task, in_parallel: InParallel) -> Results:
    def search(worker: int) -> List[List[Match]]:
        return [
            [
                (file, line)
                for file in task.blocks[worker]
                for line in lines_of(task.files[file])
                if expression.search(line)
            ]
            for expression in expressions
        ]

    expressions = [query.expression() for query in task.queries]
    results = Results(len(expressions))
    in_parallel(search, len(task.blocks), results.append)
    results.sort()
    return results


def in_threads(
    work: Callable[[int], Any], workers: int, deliver: Callable[[int, Any], None]
) -> None:
    """Have every worker work, and deliver what it made, one at a time. Raises UsageError."""

    def perform(worker: int) -> None:
        try:
            outcome = work(worker)
        except UsageError as mistake:
            mistakes[worker] = mistake
            return
        with lock:
            deliver(worker, outcome)
            delivered.append(worker)

    if workers == 1:
        deliver(0, work(0))
        return
    mistakes: Dict[int, UsageError] = {}
    delivered: List[int] = []
    lock = Lock()
    threads = [Thread(target=perform, args=(worker,)) for worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if mistakes:
        raise mistakes[min(mistakes)]
    if len(delivered) < workers:
        raise RuntimeError("a worker failed, with the traceback above")


def load(options: Options) -> Task:
    form = one_of(options.texts["form"], FORMS, "form")
    workload = one_of(options.workload, QUERIES, "workload")
    path = options.texts["queries"]
    queries = read_queries(path) if path else [Query(text) for text in QUERIES[workload]]
    threads = min(options.threads, MAX_THREADS)
    return Task(form, log_files(options.inputs[0]), queries, threads)


def prepare(task: Task) -> Task:
    return task


def run(task: Task, in_parallel: InParallel = in_threads) -> Results:
    return indexed(task, in_parallel) if task.form == "indexed" else regex(task, in_parallel)


COUNTERS = (
    "lines",
    "tokens",
    "numbers",
    "references",
    "log_types",
    "variables",
    "scanned",
    "candidates",
    "matches",
    "decoded_lines",
)


def count(task: Task, in_parallel: InParallel = in_threads) -> Tuple[Results, Dict[str, int]]:
    results = run(task, in_parallel)
    counters = dict.fromkeys(COUNTERS, 0)
    counters["matches"] = sum(map(len, results.matches))
    if results.archive is None:
        lines = sum(len(lines_of(path)) for path in task.files)
        counters["lines"] = lines * len(task.queries)
    else:
        count_archive(task, results.archive, results.plans, counters)
    return results, counters


def count_archive(
    task: Task, archive: Archive, plans: Sequence[Plan], counters: Dict[str, int]
) -> None:
    """Decode every file, compare it with what was read, and count what was made of it."""
    counters["log_types"] = len(archive.log_types)
    counters["variables"] = len(archive.variables)
    counters["scanned"] = sum(plan.scanned for plan in plans)
    files = [
        messages for worker in range(len(task.blocks)) for messages in archive.renumber(worker)
    ]
    for path, messages in zip(task.files, files):  # noqa: B905 - strict came with 3.10
        at = 0
        lines = []
        for number in messages.types:
            log_type = archive.log_types[number]
            end = at + len(log_type.kinds)
            lines.append(archive.decode(log_type, messages.values[at:end]))
            counters["numbers"] += log_type.kinds.count(NUMBER_PLACEHOLDER)
            at = end
        content = read_input(path)
        if b"\n".join(lines) + (b"\n" if lines and messages.ended else b"") != content:
            raise AssertionError(f"{path} does not come back from its encoding")
        counters["lines"] += len(lines)
        counters["decoded_lines"] += len(lines)
        counters["references"] += len(messages.values)
        counters["tokens"] += len(TOKEN.findall(content))
        for plan in plans:
            counters["candidates"] += sum(1 for _ in plan.candidates(archive, messages))
    counters["references"] -= counters["numbers"]


def digest(results: Results) -> int:
    state = FNV_OFFSET
    for found in results.matches:
        state = fnv1a(b"%d\n" % len(found), state)
        for _, line in found:
            state = fnv1a(line + b"\n", state)
    return state


def program(
    tier: str,
    run: Callable[[Task], Results],
    count: Callable[[Task], Tuple[Results, Dict[str, int]]],
) -> None:
    main(
        name="log",
        tier=tier,
        workloads=tuple(QUERIES),
        parameters={"form": Text("indexed"), "queries": Text("")},
        inputs=1,
        max_threads=MAX_THREADS,
        load=load,
        prepare=prepare,
        run=run,
        count=count,
        digest=digest,
    )


if __name__ == "__main__":
    program("standard", run, count)
