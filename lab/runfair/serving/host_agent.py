"""`python -m runfair.serving.host_agent FOLDER`: the lab's program on the host of another place.

The lab can read only its own kernel's files. This program does for the lab what must be done on the
place's host: it reads the processors, the use of process trees and the network's counters, runs the
database with its relay, and is the far end of measured links. It reads a request from each line of
standard input, writes an answer to a line of standard output, and waits in between. It ends when
its standard input is closed, and ends everything that it started. `place_host` is its client.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from runfair.errors import RunfairError
from runfair.formats.kept_file import keeping
from runfair.formats.service import DatabaseUse
from runfair.machine.kernel_files import ROOT
from runfair.machine.launching import Launcher
from runfair.machine.native import LAUNCHER, build_native
from runfair.machine.page_cache import empty_page_cache
from runfair.machine.processors import read_topology
from runfair.serving.call_counting import CallCounters
from runfair.serving.databases import Databases, RelayedDatabase
from runfair.serving.link import Listener, measure_joint, measure_link, read_counters
from runfair.serving.offloads import read_offloads
from runfair.serving.process_accounting import TreeAccounting
from runfair.serving.process_files import read_children
from runfair.serving.relay import RelayLost


class HostAgent:
    """The requests that the lab can make. Each method is a request; its result is the answer."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._stack = stack
        self._launcher = Launcher(build_native(LAUNCHER))
        self._databases = stack.enter_context(Databases(self._launcher, folder))
        self._trees: list[TreeAccounting] = []
        self._calls: dict[int, CallCounters] = {}
        self._relayed: RelayedDatabase | None = None
        self._relay = stack.enter_context(ExitStack())
        self._listener: Listener | None = None

    def topology(self) -> dict[str, Any]:
        found = read_topology()
        return {
            "processors": [one.model_dump() for one in found.processors],
            "allowed": sorted(found.allowed),
            "slow": sorted(found.slow),
        }

    def tree(self, report: str) -> int | None:
        """The number of the tree below the launcher that writes this report; None if there is no
        such launcher."""
        pid = self._launcher_of(report)
        if pid is None:
            return None
        with suppress(ProcessLookupError):
            return self._numbered(TreeAccounting.below(pid))
        return None

    def look(self, tree: int, memory: bool) -> dict[str, Any]:
        return asdict(self._trees[tree].look(memory=memory))

    def count_calls(self, tree: int) -> None:
        self._calls[tree] = self._trees[tree].count_calls()
        self._stack.callback(self._calls[tree].close)

    def counted_calls(self, tree: int) -> dict[str, Any]:
        return asdict(self._calls[tree].read())

    def end_counting(self, tree: int) -> None:
        self._calls[tree].close()

    def signal(self, report: str, number: int) -> None:
        """Sends a signal to the program of the launcher that writes this report."""
        pid = self._launcher_of(report)
        for child in [] if pid is None else read_children(pid):
            with suppress(ProcessLookupError):
                os.kill(child, number)

    def empty_cache(self) -> None:
        empty_page_cache()

    def relayed(self, use: str, raw: str, address: str) -> dict[str, str | dict[str, int]]:
        """Starts the relay of an execution, and the database if it does not run yet."""
        wanted = DatabaseUse.model_validate_json(use)
        processors = sorted(read_topology().allowed)
        relayed = self._databases.relayed(wanted, Path(raw), processors, address)
        with keeping(Path(raw)):
            found = self._relayed = self._relay.enter_context(relayed)
        return {
            "url": found.url,
            "shown_url": found.shown_url,
            "version": found.version,
            "trees": {name: self._numbered(tree) for name, tree in found.trees().items()},
        }

    def restarted(self) -> bool:
        return self._relayed is not None and self._relayed.restarted()

    def release(self) -> None:
        """Ends the relay, which then writes its files."""
        self._relayed = None
        self._relay.close()

    def listen(self, address: str) -> int:
        if self._listener is None:
            self._listener = Listener(address)
            self._stack.callback(self._listener.close)
        return self._listener.port

    def link(self, address: str, port: int) -> dict[str, Any]:
        return asdict(measure_link(address, port))

    def joint(self, listeners: list[tuple[str, int]]) -> dict[str, Any]:
        return asdict(measure_joint(listeners))

    def counters(self) -> dict[str, Any]:
        return asdict(read_counters())

    def offloads(self, address: str) -> list[str] | None:
        return read_offloads(address)

    def _numbered(self, tree: TreeAccounting) -> int:
        self._trees.append(tree)
        return len(self._trees) - 1

    def _launcher_of(self, report: str) -> int | None:
        executable = os.fsencode(self._launcher.executable)
        for path in (ROOT / "proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == executable and os.fsencode(report) in words:
                return int(path.name)
        return None


REQUESTS = frozenset(
    {
        *("topology", "tree", "look", "count_calls", "counted_calls", "end_counting"),
        *("signal", "empty_cache"),
        *("relayed", "restarted", "release", "listen", "link", "joint", "counters", "offloads"),
    }
)


def answer(agent: HostAgent, line: str) -> dict[str, Any]:
    """The answer to one request. A mistake of the user and a lost process are answers; a bug ends
    the program with a traceback."""
    request = json.loads(line)
    name = request.pop("request")
    if name not in REQUESTS:
        raise ValueError(f"unknown request {name}")
    try:
        return {"value": getattr(agent, name)(**request)}
    except RelayLost as lost:
        return {"lost": str(lost)}
    except RunfairError as mistake:
        return {"mistake": str(mistake)}
    except OSError as error:
        return {"error": error.strerror or str(error)}


def main() -> None:
    # What other code prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    # srun forwards Ctrl-C to its steps. The lab decides when this program ends. An ignored signal
    # would stay ignored in the programs that are started here; a handler is not inherited.
    signal.signal(signal.SIGINT, lambda *_: None)
    with ExitStack() as stack:
        agent = HostAgent(Path(sys.argv[1]), stack)
        for line in sys.stdin:
            print(json.dumps(answer(agent, line)), file=answers, flush=True)


if __name__ == "__main__":
    main()
