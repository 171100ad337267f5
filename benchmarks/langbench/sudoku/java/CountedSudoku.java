package langbench;

/** The search of Sudoku.java, line by line, with counters. */
final class CountedSudoku {
    long tries;
    long placements;
    long reads;

    boolean solve(int[][] grid, int cell) {
        while (cell < 81 && grid[cell / 9][cell % 9] != 0) {
            cell++;
        }
        if (cell == 81) {
            return true;
        }
        for (int digit = 1; digit <= 9; digit++) {
            tries++;
            if (fits(grid, cell, digit)) {
                grid[cell / 9][cell % 9] = digit;
                placements++;
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
            reads++;
            if (grid[row][i] == digit) {
                return false;
            }
        }
        for (int i = 0; i < 9; i++) {
            reads++;
            if (grid[i][column] == digit) {
                return false;
            }
        }
        int top = row - row % 3;
        int left = column - column % 3;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                reads++;
                if (grid[top + i][left + j] == digit) {
                    return false;
                }
            }
        }
        return true;
    }
}
