package langbench;

import runfair.Options;
import runfair.UserMistake;

/** The input of langbench/sudoku: grids by rows, 0 for an empty cell. */
final class Puzzles {
    private Puzzles() {}

    /** Reads a puzzle a line. */
    static int[][][] read(Options options) {
        var text = options.readInput();
        // A last line that lacks its line feed is a line nevertheless.
        int end = text.endsWith("\n") ? text.length() - 1 : text.length();
        var lines = text.substring(0, end).split("\n", -1);
        var puzzles = new int[lines.length][][];
        for (int i = 0; i < lines.length; i++) {
            puzzles[i] = parse(lines[i], i);
            if (!consistent(puzzles[i])) {
                throw badLine(i, "two givens contradict each other");
            }
        }
        return puzzles;
    }

    private static int[][] parse(String line, int index) {
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

    static UserMistake badLine(int index, String what) {
        return new UserMistake("line " + (index + 1) + " of the input: " + what
                + "; make it with generate.py");
    }
}
