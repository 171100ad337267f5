package langbench;

import java.io.IOException;
import java.util.Map;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;

/** The benchmark langbench/sudoku (contract.md beside this folder). */
public final class Sudoku implements Harness.Program {
    private static long tries;
    private static long placements;
    private static long reads;

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
            tries++; // tick
            if (fits(grid, cell, digit)) {
                grid[cell / 9][cell % 9] = digit;
                placements++; // tick
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
            reads++; // tick
            if (grid[row][i] == digit) {
                return false;
            }
        }
        for (int i = 0; i < 9; i++) {
            reads++; // tick
            if (grid[i][column] == digit) {
                return false;
            }
        }
        int top = row - row % 3;
        int left = column - column % 3;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                reads++; // tick
                if (grid[top + i][left + j] == digit) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public void load(Options options) {
        puzzles = Puzzles.read(options);
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
                throw Puzzles.badLine(i, "the puzzle has no solution");
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

    @Override
    public Map<String, Long> counters() {
        return Map.of("tries", tries, "placements", placements, "reads", reads);
    }

    public static void main(String[] arguments) throws IOException {
        Harness.main("sudoku", "standard", new Sudoku(), arguments);
    }
}
