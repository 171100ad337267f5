package awfy;

import java.util.Arrays;

/** Eight queens, ten times; the answer is how often all of them found a place. */
final class Queens extends Benchmark {
    private static final int SIZE = 8;
    private static final int TIMES = 10;

    private boolean[] freeMaxs;
    private boolean[] freeRows;
    private boolean[] freeMins;
    private int[] queenRows;

    @Override
    long once() {
        int solved = 0;
        for (int i = 0; i < TIMES; i++) {
            if (queens()) {
                solved++;
            }
        }
        return solved;
    }

    private boolean queens() {
        freeRows = free(SIZE);
        freeMaxs = free(2 * SIZE);
        freeMins = free(2 * SIZE);
        queenRows = new int[SIZE];
        return placeQueen(0);
    }

    private static boolean[] free(int length) {
        var all = new boolean[length];
        Arrays.fill(all, true);
        return all;
    }

    private boolean placeQueen(int column) {
        for (int row = 0; row < SIZE; row++) {
            Counts.steps++; // tick
            if (isFree(row, column)) {
                queenRows[row] = column;
                setFree(row, column, false);
                if (column == SIZE - 1 || placeQueen(column + 1)) {
                    return true;
                }
                setFree(row, column, true);
            }
        }
        return false;
    }

    private boolean isFree(int row, int column) {
        return freeRows[row] && freeMaxs[column + row] && freeMins[column - row + SIZE - 1];
    }

    private void setFree(int row, int column, boolean free) {
        freeRows[row] = free;
        freeMaxs[column + row] = free;
        freeMins[column - row + SIZE - 1] = free;
    }
}
