package awfy;

/** All permutations of six elements, by swapping. */
final class Permute extends Benchmark {
    private static final int ELEMENTS = 6;

    private int count;
    private int[] elements;

    @Override
    long once() {
        count = 0;
        elements = new int[ELEMENTS];
        permute(ELEMENTS);
        return count;
    }

    private void permute(int n) {
        Counts.steps++; // tick
        count++;
        if (n != 0) {
            int last = n - 1;
            permute(last);
            for (int i = last; i >= 0; i--) {
                swap(last, i);
                permute(last);
                swap(last, i);
            }
        }
    }

    private void swap(int i, int j) {
        int element = elements[i];
        elements[i] = elements[j];
        elements[j] = element;
    }
}
