"""The contract's pseudocode with dicts and lists, in Python 3.6 (log/contract.md)."""

from harness.python.harness import FNV_OFFSET, Options, fnv1a, main, read_input
from langbench.log.plain.python.archive import Archive
from langbench.log.plain.python.counts import counts
from langbench.log.plain.python.folder import QUERIES, lines_of, log_files, read_queries
from langbench.log.plain.python.plan import Plan
from langbench.log.plain.python.query import Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional


class Log:
    def __init__(self, form: str, queries: "List[Query]", files: "List[str]") -> None:
        self.form = form
        self.queries = queries
        self.files = files


class Answer:
    def __init__(self) -> None:
        self.found: "List[List[bytes]]" = []
        self.archive: "Optional[Archive]" = None


def indexed(log: Log) -> Answer:
    answer = Answer()
    answer.archive = archive = Archive()
    for path in log.files:
        archive.parse(read_input(path))
    for plan in [Plan(query, archive) for query in log.queries]:
        found: "List[bytes]" = []
        for messages in archive.files:
            found.extend(plan.search(messages))
        answer.found.append(found)
    return answer


def regex(log: Log) -> Answer:
    answer = Answer()
    for expression in [query.expression() for query in log.queries]:
        found = []
        for path in log.files:
            for line in lines_of(read_input(path)):
                counts.lines += 1  # tick
                if expression.search(line):
                    counts.matches += 1  # tick
                    found.append(line)
        answer.found.append(found)
    return answer


def load(options: Options) -> Log:
    path = options["queries"]
    texts = read_queries(path) if path else QUERIES[options["workload"]]
    files = log_files(options["input"])
    return Log(options["form"], [Query(text) for text in texts], files)


def prepare(log: Log) -> Log:
    return log


def run(log: Log) -> Answer:
    return indexed(log) if log.form == "indexed" else regex(log)


def digest(answer: Answer) -> int:
    state = FNV_OFFSET
    for found in answer.found:
        state = fnv1a(b"%d\n" % len(found), state)
        for line in found:
            state = fnv1a(line + b"\n", state)
    return state


if __name__ == "__main__":
    main("log", load, prepare, run, digest, counts=counts, tier="plain")
