"""A stopping rule whose decision is known."""

from __future__ import annotations

from dataclasses import dataclass, field

from runfair.formats.transcript import Transcript


@dataclass
class EnoughAt:
    """Ends an execution after so many iterations, and keeps the numbers that it has seen."""

    iterations: int
    seen: list[int] = field(default_factory=list)

    def due(self, elapsed_ns: int, /) -> bool:
        return elapsed_ns > 0

    def __call__(self, transcript: Transcript, elapsed_ns: int, /) -> str | None:
        assert elapsed_ns > 0
        self.seen.append(transcript.iterations)
        return "enough" if transcript.iterations >= self.iterations else None
