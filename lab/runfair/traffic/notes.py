"""What a file could not tell, counted rather than repeated."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Notes:
    """Collects notes; one that comes again is counted, with the place where it first came up."""

    _counts: dict[str, int] = field(default_factory=dict)
    _places: dict[str, str] = field(default_factory=dict)

    def say(self, note: str) -> None:
        self._counts.setdefault(note, 0)

    def count(self, note: str, place: str = "", number: int = 1) -> None:
        self._counts[note] = self._counts.get(note, 0) + number
        if place:
            self._places.setdefault(note, place)

    @property
    def lines(self) -> list[str]:
        """`requests without a body, left out: 1,200 (first: line 7)`, in order of appearance."""
        lines = []
        for note, number in self._counts.items():
            counted = f"{note}: {number:,}" if number else note
            place = self._places.get(note)
            lines.append(f"{counted} (first: {place})" if place else counted)
        return lines
