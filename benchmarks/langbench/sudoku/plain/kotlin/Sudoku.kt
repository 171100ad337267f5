package langbench.plain

import runfair.Fnv1a
import runfair.Harness
import runfair.Options
import runfair.Program
import runfair.UserMistake

/** The contract's pseudocode over nine rows of nine ints. */
private class Sudoku : Program {
    private var tries = 0L
    private var placements = 0L
    private var reads = 0L
    private val puzzles = mutableListOf<Array<IntArray>>()
    private val grids = mutableListOf<Array<IntArray>>()

    override val counters
        get() = mapOf("tries" to tries, "placements" to placements, "reads" to reads)

    private fun solve(grid: Array<IntArray>, start: Int): Boolean {
        var cell = start
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

    private fun fits(grid: Array<IntArray>, cell: Int, digit: Int): Boolean {
        val row = cell / 9
        val column = cell % 9
        for (i in 0..8) {
            reads++ // tick
            if (grid[row][i] == digit) {
                return false
            }
        }
        for (i in 0..8) {
            reads++ // tick
            if (grid[i][column] == digit) {
                return false
            }
        }
        val top = row - row % 3
        val left = column - column % 3
        for (i in 0..2) {
            for (j in 0..2) {
                reads++ // tick
                if (grid[top + i][left + j] == digit) {
                    return false
                }
            }
        }
        return true
    }

    override fun load(options: Options) {
        val lines = options.readInput().removeSuffix("\n").split("\n")
        for ((index, line) in lines.withIndex()) {
            puzzles.add(parse(line, index))
        }
    }

    private fun parse(line: String, index: Int): Array<IntArray> {
        if (line.length != 81 || line.any { it !in '1'..'9' && it != '.' }) {
            throw badLine(index, "a puzzle is 81 characters of 1 to 9 or a full stop")
        }
        val grid = Array(9) { IntArray(9) }
        for ((cell, character) in line.withIndex()) {
            grid[cell / 9][cell % 9] = if (character == '.') 0 else character - '0'
        }
        for (cell in 0..80) {
            if (grid[cell / 9][cell % 9] != 0 && !standsAlone(grid, cell / 9, cell % 9)) {
                throw badLine(index, "two givens contradict each other")
            }
        }
        return grid
    }

    /** Tells whether a given has no equal in its row, column and box. */
    private fun standsAlone(grid: Array<IntArray>, row: Int, column: Int): Boolean {
        for (i in 0..8) {
            for (j in 0..8) {
                val sameBox = i / 3 == row / 3 && j / 3 == column / 3
                val sees = i == row || j == column || sameBox
                val itself = i == row && j == column
                if (sees && !itself && grid[i][j] == grid[row][column]) {
                    return false
                }
            }
        }
        return true
    }

    private fun badLine(index: Int, what: String) =
        UserMistake("line ${index + 1} of the input: $what; make it with generate.py")

    override fun prepare() {
        grids.clear()
        for (puzzle in puzzles) {
            grids.add(Array(9) { row -> puzzle[row].copyOf() })
        }
    }

    override fun run() {
        for ((index, grid) in grids.withIndex()) {
            if (!solve(grid, 0)) {
                throw badLine(index, "the puzzle has no solution")
            }
        }
    }

    override fun digest(): ULong {
        val hash = Fnv1a()
        for (grid in grids) {
            for (cell in 0..80) {
                hash.add('0' + grid[cell / 9][cell % 9])
            }
            hash.add('\n')
        }
        return hash.value
    }
}

fun main(arguments: Array<String>) = Harness.main("sudoku", "plain", Sudoku(), arguments)
