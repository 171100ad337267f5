"""Tests the properties of the puzzles that contract.md promises, with independent code."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.python.harness import SplitMix64
from langbench.sudoku import generate

BENCHMARKS = Path(__file__).parents[2]
TINY = {"count": 4, "tries": 4000}
TINY_SHA256 = {
    "classic": "d15ab70969c5d4df003e15c1e2cee1f05ae623f7923d7a74188cd92f901c6ca6",
    "balanced": "a62e025978ce341dc0e6ed40014a92f7a567c620f6c4fa01f45ac7206f2b24af",
}


def transcribed_tries(puzzle: str) -> tuple[int, str]:
    """The contract's pseudocode, transcribed literally. The function returns the number of tries
    and the solved grid."""
    grid = [0 if character == "." else int(character) for character in puzzle]
    tries = 0

    def solve(cell: int) -> bool:
        nonlocal tries
        while cell < 81 and grid[cell] != 0:
            cell = cell + 1
        if cell == 81:
            return True
        for digit in range(1, 10):
            tries += 1
            if fits(cell, digit):
                grid[cell] = digit
                if solve(cell + 1):
                    return True
                grid[cell] = 0
        return False

    def fits(cell: int, digit: int) -> bool:
        row, column = cell // 9, cell % 9
        for i in range(9):
            if grid[9 * row + i] == digit:
                return False
        for i in range(9):
            if grid[9 * i + column] == digit:
                return False
        top, left = row - row % 3, column - column % 3
        for i in range(3):
            for j in range(3):
                if grid[9 * (top + i) + left + j] == digit:
                    return False
        return True

    assert solve(0)
    return tries, "".join(map(str, grid))


def solutions(puzzle: str) -> Iterator[str]:
    """All solutions of a puzzle, found by sets of candidates, beginning with the cell that has the
    fewest."""
    peers = [
        {
            other
            for other in range(81)
            if other != cell
            and (
                other // 9 == cell // 9
                or other % 9 == cell % 9
                or (other // 27 == cell // 27 and other % 9 // 3 == cell % 9 // 3)
            )
        }
        for cell in range(81)
    ]

    def complete(grid: str) -> Iterator[str]:
        open_cells = {
            cell: set("123456789") - {grid[peer] for peer in peers[cell]}
            for cell in range(81)
            if grid[cell] == "."
        }
        if not open_cells:
            yield grid
            return
        cell = min(open_cells, key=lambda open_cell: len(open_cells[open_cell]))
        for digit in sorted(open_cells[cell]):
            yield from complete(grid[:cell] + digit + grid[cell + 1 :])

    return complete(puzzle)


@pytest.fixture(scope="module", params=generate.WORKLOADS)
def workload(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def tiny(workload: str) -> list[str]:
    return generate.puzzles(workload, seed=1, **TINY)


def test_form_and_givens(tiny: list[str]) -> None:
    assert len(tiny) == TINY["count"]
    for puzzle in tiny:
        assert len(puzzle) == 81
        assert set(puzzle) <= set("123456789.")
        assert 22 <= 81 - puzzle.count(".") <= 27


def test_exactly_one_solution(tiny: list[str]) -> None:
    for puzzle in tiny:
        (found,) = solutions(puzzle)
        assert found == transcribed_tries(puzzle)[1]


def test_solutions_finds_the_second() -> None:
    """The solver finds more than one solution if a given is removed from the grid."""
    empty = "." * 81
    found = solutions(empty)
    assert next(found) != next(found)


def test_effort(tiny: list[str], workload: str) -> None:
    for puzzle in tiny:
        tries, _ = transcribed_tries(puzzle)
        least = TINY["tries"] / 4 if workload == "balanced" else 0
        assert least <= tries <= TINY["tries"]


def test_fast_count_is_the_transcription(tiny: list[str]) -> None:
    for puzzle in tiny:
        grid = [0 if character == "." else int(character) for character in puzzle]
        tries, _ = transcribed_tries(puzzle)
        assert generate.search_tries(grid, 10**9) == tries
        assert generate.search_tries(grid, tries) == tries
        assert generate.search_tries(grid, tries - 1) is None


def test_unsolvable_puzzle_has_no_count() -> None:
    grid = [1, 2, 3, 4, 5, 6, 7, 8, 0] + [0] * 8 + [9] + [0] * 63
    with pytest.raises(ValueError, match="without a solution"):
        generate.search_tries(grid, 10**9)


# The digests of the tiny inputs show in the ordinary check that the drawing has not changed.
@pytest.mark.long
def test_givens_are_drawn_evenly() -> None:
    puzzles = generate.puzzles("classic", seed=5, count=36, tries=100_000)
    counts = [81 - puzzle.count(".") for puzzle in puzzles]
    # Six of each are expected. The seed is fixed, so the test cannot fail by chance.
    for givens in range(22, 28):
        assert 1 <= counts.count(givens) <= 14


def test_orientation_keeps_what_it_must() -> None:
    random = SplitMix64(3)
    full = generate.solution(random)
    turned = generate.oriented(random, full)
    assert turned != full
    assert sorted(turned) == sorted(full)
    assert generate.search_tries(turned, 1) == 0  # the grid is full, so no cell is visited
    for start in range(0, 81, 9):
        assert sorted(turned[start : start + 9]) == list(range(1, 10))
        assert sorted(turned[start // 9 :: 9]) == list(range(1, 10))


def test_same_arguments_same_bytes(tiny: list[str], workload: str, tmp_path: Path) -> None:
    output = tmp_path / "tiny.txt"
    arguments = ["--workload", workload, "--seed", "1", "--puzzles", "4", "--tries", "4000"]
    subprocess.run(
        [sys.executable, "-m", "langbench.sudoku.generate", *arguments, "--output", str(output)],
        check=True,
        cwd=BENCHMARKS,
    )
    assert output.read_text("ascii") == "".join(f"{puzzle}\n" for puzzle in tiny)
    assert hashlib.sha256(output.read_bytes()).hexdigest() == TINY_SHA256[workload]
    assert list(tmp_path.iterdir()) == [output]


def test_another_seed_other_puzzles(tiny: list[str], workload: str) -> None:
    assert not set(tiny) & set(generate.puzzles(workload, seed=2, count=1, tries=TINY["tries"]))


@pytest.mark.parametrize(
    ("workload", "seed", "count", "tries"),
    [
        ("uneven", 1, 4, 4000),
        ("classic", -1, 4, 4000),
        ("classic", 2**64, 4, 4000),
        ("classic", 1, 0, 4000),
        ("classic", 1, 4, 999),
    ],
)
def test_requests_out_of_range(workload: str, seed: int, count: int, tries: int) -> None:
    with pytest.raises(generate.RequestError):
        generate.puzzles(workload, seed, count, tries)
