package langbench

import runfair.Options
import runfair.UserMistake

/** A grid by rows, 0 for an empty cell. */
internal typealias Grid = Array<IntArray>

/** The input of langbench/sudoku. */
internal object Puzzles {
    /** Reads a puzzle a line. */
    fun read(options: Options): List<Grid> {
        // A last line that lacks its line feed is a line nevertheless.
        val lines = options.readInput().removeSuffix("\n").split('\n')
        return lines.mapIndexed { i, line ->
            val grid =
                parse(line)
                    ?: throw badLine(i, "a puzzle is 81 characters of 1 to 9 or a full stop")
            if (!isConsistent(grid)) {
                throw badLine(i, "two givens contradict each other")
            }
            grid
        }
    }

    private fun parse(line: String): Grid? {
        if (line.length != 81 || line.any { it != '.' && it !in '1'..'9' }) {
            return null
        }
        return Array(9) { row ->
            IntArray(9) { column ->
                val c = line[9 * row + column]
                if (c == '.') 0 else c - '0'
            }
        }
    }

    /**
     * Tells whether no two givens exclude each other. It is not made of fits: that would run the
     * task's code before the first iteration.
     */
    private fun isConsistent(grid: Grid): Boolean {
        val rows = IntArray(9)
        val columns = IntArray(9)
        val boxes = IntArray(9)
        for ((row, digits) in grid.withIndex()) {
            for ((column, digit) in digits.withIndex()) {
                if (digit != 0) {
                    val bit = 1 shl digit
                    val box = row / 3 * 3 + column / 3
                    if ((rows[row] or columns[column] or boxes[box]) and bit != 0) {
                        return false
                    }
                    rows[row] = rows[row] or bit
                    columns[column] = columns[column] or bit
                    boxes[box] = boxes[box] or bit
                }
            }
        }
        return true
    }

    fun badLine(index: Int, what: String) =
        UserMistake("line ${index + 1} of the input: $what; make it with generate.py")
}
