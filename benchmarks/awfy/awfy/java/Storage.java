package awfy;

/** A tree of arrays, whose leaves are arrays of random lengths. */
final class Storage extends Benchmark {
    private static final int DEPTH = 7;
    private static final int BRANCHES = 4;

    private int count;

    @Override
    long once() {
        count = 0;
        tree(DEPTH, new Random());
        return count;
    }

    private Object tree(int depth, Random random) {
        Counts.steps++; // tick
        count++;
        if (depth == 1) {
            return new Object[random.next() % 10 + 1];
        }
        var branches = new Object[BRANCHES];
        for (int i = 0; i < BRANCHES; i++) {
            branches[i] = tree(depth - 1, random);
        }
        return branches;
    }
}
