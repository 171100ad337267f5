"""Search of logs by the CLP algorithm or by regular expressions: langbench/log/contract.md."""

from __future__ import annotations

from harness.python.harness import FNV_OFFSET, Options, fnv1a, main, read_input
from langbench.log.python.archive import Archive, CountedDictionary, Parser
from langbench.log.python.counts import Counts
from langbench.log.python.folder import QUERIES, lines_of, log_files, read_queries
from langbench.log.python.query import Plan, Query
from langbench.log.python.tokens import VARIABLE, CountedVariable
from langbench.log.python.workers import in_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Tuple

    from langbench.log.python.workers import InParallel

    Match = Tuple[int, bytes]  # the number of the file, and the line
    # Makes the parsers of an iteration. The argument says whether operations are counted.
    NewParsers = Callable[[bool], Callable[[], Parser]]

MAX_THREADS = 1024

counts = Counts()


class Log:
    """The state from which every iteration starts."""

    def __init__(
        self, form: str, files: List[str], queries: List[Query], threads: int, counting: bool
    ) -> None:
        self.form = form
        self.files = files
        self.queries = queries
        self.blocks = [
            range(len(files) * worker // threads, len(files) * (worker + 1) // threads)
            for worker in range(threads)
        ]
        self.counting = counting


class Results:
    """The matches of every query, to which workers append theirs."""

    def __init__(self, queries: int) -> None:
        self.matches: List[List[Match]] = [[] for _ in range(queries)]
        self.archive: Optional[Archive] = None  # kept, so that freeing it is not part of the time

    def append(self, _worker: int, outcome: Tuple[List[List[Match]], Counts]) -> None:
        found, counted = outcome
        for matches, own in zip(self.matches, found):  # noqa: B905 - strict came with 3.10
            matches.extend(own)
        counts.take(counted)

    def sort(self) -> None:
        for matches in self.matches:
            matches.sort(key=lambda match: match[0])


def own_dictionaries(counting: bool) -> Callable[[], Parser]:
    """Make parsers, each with dictionaries of its own."""
    new = CountedDictionary if counting else dict
    return lambda: Parser(new(), new())


def indexed(log: Log, in_parallel: InParallel, new_parsers: NewParsers) -> Results:
    def parse(worker: int) -> Parser:
        parser = new_parser()
        variable = CountedVariable(parser.counts) if log.counting else VARIABLE
        for file in log.blocks[worker]:
            parser.parse(read_input(log.files[file]), variable)
        return parser

    def search(worker: int) -> Tuple[List[List[Match]], Counts]:
        messages = archive.renumber(worker)
        counted = Counts()
        found = [
            [
                (file, line)
                for at, file in enumerate(log.blocks[worker])
                for line in plan.search(archive, messages[at], counted)
            ]
            for plan in plans
        ]
        return found, counted

    workers = len(log.blocks)
    new_parser = new_parsers(log.counting)
    parsers: Dict[int, Parser] = {}
    in_parallel(parse, workers, parsers.__setitem__)
    archive = Archive([parsers[worker] for worker in range(workers)])
    plans = [Plan(query, archive) for query in log.queries]
    results = Results(len(plans))
    in_parallel(search, workers, results.append)
    results.sort()
    results.archive = archive
    counts.take(archive.counts)
    return results


def regex(log: Log, in_parallel: InParallel) -> Results:
    def search(worker: int) -> Tuple[List[List[Match]], Counts]:
        counted = Counts()
        found = []
        for expression in expressions:
            matches = []
            for file in log.blocks[worker]:
                for line in lines_of(log.files[file]):
                    counted.lines += 1  # tick
                    if expression.search(line):
                        counted.matches += 1  # tick
                        matches.append((file, line))
            found.append(matches)
        return found, counted

    expressions = [query.expression() for query in log.queries]
    results = Results(len(expressions))
    in_parallel(search, len(log.blocks), results.append)
    results.sort()
    return results


def load(options: Options) -> Log:
    path = options["queries"]
    texts = QUERIES[options["workload"]]
    queries = read_queries(path) if path else [Query(text) for text in texts]
    threads = min(int(options["threads"]), MAX_THREADS)
    files = log_files(options["input"])
    return Log(options["form"], files, queries, threads, "count" in options)


def prepare(log: Log) -> Log:
    return log


def run(
    log: Log,
    in_parallel: InParallel = in_threads,
    new_parsers: NewParsers = own_dictionaries,
) -> Results:
    if log.form == "indexed":
        return indexed(log, in_parallel, new_parsers)
    return regex(log, in_parallel)


def digest(results: Results) -> int:
    state = FNV_OFFSET
    for found in results.matches:
        state = fnv1a(b"%d\n" % len(found), state)
        for _, line in found:
            state = fnv1a(line + b"\n", state)
    return state


def program(tier: str, run: Callable[[Log], Results]) -> None:
    main("log", load, prepare, run, digest, counts=counts, tier=tier, max_threads=MAX_THREADS)


if __name__ == "__main__":
    program("standard", run)
