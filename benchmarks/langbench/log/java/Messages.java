package langbench.log;

import java.util.Arrays;

/** A file, encoded: the types of its lines, and the values of all their variables. */
final class Messages {
    int[] types = new int[64];
    int size; // how many types
    long[] values = new long[256];
    int valuesSize;
    final boolean ended; // whether a line feed ends the last line

    Messages(boolean ended) {
        this.ended = ended;
    }

    void addType(int type) {
        if (size == types.length) {
            types = Arrays.copyOf(types, 2 * size);
        }
        types[size++] = type;
    }

    void addValue(long value) {
        if (valuesSize == values.length) {
            values = Arrays.copyOf(values, 2 * valuesSize);
        }
        values[valuesSize++] = value;
    }
}
