package langbench;

import java.io.IOException;
import java.util.List;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Harness.Counter;
import runfair.Options;
import runfair.UserMistake;

/** The benchmark langbench/sudoku (contract.md beside this folder). */
public final class Sudoku implements Harness.Program {
    private int[][][] puzzles; // by rows, 0 for an empty cell
    private int[][][] grids;

    /** Fills the empty cells from cell on; false leaves them as they were. */
    private static boolean solve(int[][] grid, int cell) {
        while (cell < 81 && grid[cell / 9][cell % 9] != 0) {
            cell++;
        }
        if (cell == 81) {
            return true;
        }
        for (int digit = 1; digit <= 9; digit++) {
            if (fits(grid, cell, digit)) {
                grid[cell / 9][cell % 9] = digit;
                if (solve(grid, cell + 1)) {
                    return true;
                }
                grid[cell / 9][cell % 9] = 0;
            }
        }
        return false;
    }

    /** Tells whether neither row, column nor box of the cell holds the digit. */
    private static boolean fits(int[][] grid, int cell, int digit) {
        int row = cell / 9;
        int column = cell % 9;
        for (int i = 0; i < 9; i++) {
            if (grid[row][i] == digit) {
                return false;
            }
        }
        for (int i = 0; i < 9; i++) {
            if (grid[i][column] == digit) {
                return false;
            }
        }
        int top = row - row % 3;
        int left = column - column % 3;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                if (grid[top + i][left + j] == digit) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Reads a puzzle a line. */
    @Override
    public void load(Options options) {
        var text = options.readInput(0);
        // A last line that lacks its line feed is a line nevertheless.
        int end = text.endsWith("\n") ? text.length() - 1 : text.length();
        var lines = text.substring(0, end).split("\n", -1);
        puzzles = new int[lines.length][][];
        for (int i = 0; i < lines.length; i++) {
            puzzles[i] = parse(lines[i], i);
            if (!consistent(puzzles[i])) {
                throw badLine(i, "two givens contradict each other");
            }
        }
    }

    private int[][] parse(String line, int index) {
        var grid = new int[9][9];
        boolean wellFormed = line.length() == 81;
        for (int cell = 0; wellFormed && cell < 81; cell++) {
            char c = line.charAt(cell);
            if ('1' <= c && c <= '9') {
                grid[cell / 9][cell % 9] = c - '0';
            } else {
                wellFormed = c == '.';
            }
        }
        if (!wellFormed) {
            throw badLine(index, "a puzzle is 81 characters of 1 to 9 or a full stop");
        }
        return grid;
    }

    /**
     * Tells whether no two givens exclude each other. It is not made of fits: that would run the
     * task's code before the first iteration.
     */
    private static boolean consistent(int[][] grid) {
        var rows = new int[9];
        var columns = new int[9];
        var boxes = new int[9];
        for (int row = 0; row < 9; row++) {
            for (int column = 0; column < 9; column++) {
                if (grid[row][column] != 0) {
                    int bit = 1 << grid[row][column];
                    int box = row / 3 * 3 + column / 3;
                    if (((rows[row] | columns[column] | boxes[box]) & bit) != 0) {
                        return false;
                    }
                    rows[row] |= bit;
                    columns[column] |= bit;
                    boxes[box] |= bit;
                }
            }
        }
        return true;
    }

    private static UserMistake badLine(int index, String what) {
        return new UserMistake("line " + (index + 1) + " of the input: " + what
                + "; make it with generate.py");
    }

    /** Copies the puzzles. */
    @Override
    public void prepare() {
        grids = new int[puzzles.length][9][];
        for (int i = 0; i < puzzles.length; i++) {
            for (int row = 0; row < 9; row++) {
                grids[i][row] = puzzles[i][row].clone();
            }
        }
    }

    /** Solves the puzzles in order. */
    @Override
    public void run() {
        for (int i = 0; i < grids.length; i++) {
            if (!solve(grids[i], 0)) {
                throw badLine(i, "the puzzle has no solution");
            }
        }
    }

    /** Hashes the solved grids, a line each. */
    @Override
    public long digest() {
        var hash = new Fnv1a();
        for (var grid : grids) {
            for (var row : grid) {
                for (int digit : row) {
                    hash.add((byte) ('0' + digit));
                }
            }
            hash.add((byte) '\n');
        }
        return hash.value();
    }

    /** Solves the puzzles in order with counters. */
    @Override
    public List<Counter> count() {
        var counted = new CountedSudoku();
        for (int i = 0; i < grids.length; i++) {
            if (!counted.solve(grids[i], 0)) {
                throw badLine(i, "the puzzle has no solution");
            }
        }
        return List.of(
                new Counter("tries", counted.tries),
                new Counter("placements", counted.placements),
                new Counter("reads", counted.reads));
    }

    public static void main(String[] arguments) throws IOException {
        var benchmark = new Harness.Benchmark(
                "sudoku", "standard", List.of("classic", "balanced"), List.of(), 1);
        Harness.main(benchmark, new Sudoku(), arguments);
    }
}
