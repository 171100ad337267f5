package langbench.plain;

import java.util.HashMap;
import java.util.Map;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;
import runfair.UserMistake;

/** The contract's pseudocode over nine rows of nine ints, in Java 8. */
public final class Sudoku implements Harness.Program {
    private long tries;
    private long placements;
    private long reads;
    private int[][][] puzzles;
    private int[][][] grids;

    private boolean solve(int[][] grid, int cell) {
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

    private boolean fits(int[][] grid, int cell, int digit) {
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
        String text = options.readInput();
        if (text.endsWith("\n")) {
            text = text.substring(0, text.length() - 1);
        }
        String[] lines = text.split("\n", -1);
        puzzles = new int[lines.length][][];
        for (int index = 0; index < lines.length; index++) {
            puzzles[index] = parse(lines[index], index);
        }
    }

    private static int[][] parse(String line, int index) {
        int[][] grid = new int[9][9];
        boolean good = line.length() == 81;
        for (int cell = 0; good && cell < 81; cell++) {
            char character = line.charAt(cell);
            if (character >= '1' && character <= '9') {
                grid[cell / 9][cell % 9] = character - '0';
            } else {
                good = character == '.';
            }
        }
        if (!good) {
            throw badLine(index, "a puzzle is 81 characters of 1 to 9 or a full stop");
        }
        for (int cell = 0; cell < 81; cell++) {
            if (grid[cell / 9][cell % 9] != 0 && !standsAlone(grid, cell / 9, cell % 9)) {
                throw badLine(index, "two givens contradict each other");
            }
        }
        return grid;
    }

    /** Tells whether a given has no equal in its row, column and box. */
    private static boolean standsAlone(int[][] grid, int row, int column) {
        for (int i = 0; i < 9; i++) {
            for (int j = 0; j < 9; j++) {
                boolean sameBox = i / 3 == row / 3 && j / 3 == column / 3;
                boolean itself = i == row && j == column;
                if (!itself && (i == row || j == column || sameBox)
                        && grid[i][j] == grid[row][column]) {
                    return false;
                }
            }
        }
        return true;
    }

    private static UserMistake badLine(int index, String what) {
        return new UserMistake("line " + (index + 1) + " of the input: " + what
                + "; make it with generate.py");
    }

    @Override
    public void prepare() {
        grids = new int[puzzles.length][9][];
        for (int index = 0; index < puzzles.length; index++) {
            for (int row = 0; row < 9; row++) {
                grids[index][row] = puzzles[index][row].clone();
            }
        }
    }

    @Override
    public void run() {
        for (int index = 0; index < grids.length; index++) {
            if (!solve(grids[index], 0)) {
                throw badLine(index, "the puzzle has no solution");
            }
        }
    }

    @Override
    public long digest() {
        Fnv1a hash = new Fnv1a();
        for (int[][] grid : grids) {
            for (int cell = 0; cell < 81; cell++) {
                hash.add((byte) ('0' + grid[cell / 9][cell % 9]));
            }
            hash.add((byte) '\n');
        }
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counters = new HashMap<>();
        counters.put("tries", tries);
        counters.put("placements", placements);
        counters.put("reads", reads);
        return counters;
    }

    public static void main(String[] arguments) {
        Harness.main("sudoku", "plain", new Sudoku(), arguments);
    }
}
