"""What a service and its neighbours use, looked at while a load lasts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

from runfair.formats.launch import ProcessorCounts
from runfair.formats.service import Usage
from runfair.machine.processor_counters import ProcessorCounters
from runfair.serving.joint_accounting import JointAccounting
from runfair.serving.process_accounting import TreeAccounting

# A look at a tree reads a few small files: at two a second under a thousandth of a processor.
LOOK_INTERVAL_S = 0.5
# The memory of several processes is told by walking their page tables, which holds them up.
MEMORY_INTERVAL_S = 5.0


@dataclass
class Observation:
    """Watches what a service and its neighbours use, and keeps it. `counters` are the service's,
    where the processor counts."""

    file: BinaryIO
    trees: Mapping[str, TreeAccounting | JointAccounting]
    counters: ProcessorCounters | None = None
    _next_s: float = 0.0
    _next_memory_s: float = 0.0

    def look(self, *, last: bool = False) -> None:
        """Once an interval, at memory more seldom; the `last` one of a load at both. Of a tree
        that has ended, what was last seen of it."""
        now_s = time.monotonic()
        if now_s < self._next_s and not last:
            return
        self._next_s = now_s + LOOK_INTERVAL_S
        memory = last or now_s >= self._next_memory_s
        if memory:
            self._next_memory_s = now_s + MEMORY_INTERVAL_S
        for name, tree in self.trees.items():
            seen = tree.look(memory=memory)
            usage = Usage.model_validate(
                {
                    "of": name,
                    "monotonic_ns": seen.monotonic_ns,
                    "cpu_ns": seen.cpu_ns,
                    "user_ns": seen.user_ns,
                    "system_ns": seen.system_ns,
                    "run_queue_ns": seen.run_queue_ns,
                    "voluntary_switches": seen.voluntary_switches,
                    "involuntary_switches": seen.involuntary_switches,
                    "peak_bytes": seen.peak_bytes,
                    "processor": self._counted(name),
                }
            )
            self.file.write(usage.model_dump_json().encode() + b"\n")
        self.file.flush()

    def _counted(self, name: str) -> ProcessorCounts | None:
        return self.counters.read() if self.counters is not None and name == "service" else None
