package langbench

import runfair.Fnv1a
import runfair.Harness
import runfair.Options
import runfair.Program

private var tries = 0L
private var placements = 0L
private var reads = 0L

/** Fills the empty cells from [from] on; false leaves them as they were. */
private fun solve(grid: Grid, from: Int): Boolean {
    var cell = from
    while (cell < 81 && grid[cell / 9][cell % 9] != 0) {
        cell++
    }
    if (cell == 81) {
        return true
    }
    for (digit in 1..9) {
        tries++ // tick
        if (fits(grid, cell, digit)) {
            placements++ // tick
            grid[cell / 9][cell % 9] = digit
            if (solve(grid, cell + 1)) {
                return true
            }
            grid[cell / 9][cell % 9] = 0
        }
    }
    return false
}

/** Tells whether neither row, column nor box of the cell holds the digit. */
private fun fits(grid: Grid, cell: Int, digit: Int): Boolean {
    val row = cell / 9
    val column = cell % 9
    for (i in 0..<9) {
        reads++ // tick
        if (grid[row][i] == digit) {
            return false
        }
    }
    for (i in 0..<9) {
        reads++ // tick
        if (grid[i][column] == digit) {
            return false
        }
    }
    val top = row - row % 3
    val left = column - column % 3
    for (i in 0..<3) {
        for (j in 0..<3) {
            reads++ // tick
            if (grid[top + i][left + j] == digit) {
                return false
            }
        }
    }
    return true
}

/** The benchmark langbench/sudoku (contract.md beside this folder). */
private class Sudoku : Program {
    private lateinit var puzzles: List<Grid>
    private lateinit var grids: List<Grid>

    override val counters
        get() = mapOf("tries" to tries, "placements" to placements, "reads" to reads)

    override fun load(options: Options) {
        puzzles = Puzzles.read(options)
    }

    /** Copies the puzzles. */
    override fun prepare() {
        grids = puzzles.map { puzzle -> Array(9) { row -> puzzle[row].copyOf() } }
    }

    /** Solves the puzzles in order. */
    override fun run() {
        for ((i, grid) in grids.withIndex()) {
            if (!solve(grid, 0)) {
                throw Puzzles.badLine(i, "the puzzle has no solution")
            }
        }
    }

    /** Hashes the solved grids, a line each. */
    override fun digest(): ULong {
        val hash = Fnv1a()
        for (grid in grids) {
            for (row in grid) {
                row.forEach { digit -> hash.add('0' + digit) }
            }
            hash.add('\n')
        }
        return hash.value
    }
}

fun main(arguments: Array<String>) = Harness.main("sudoku", "standard", Sudoku(), arguments)
