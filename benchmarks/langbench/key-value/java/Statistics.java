package langbench.keyvalue;

import java.util.concurrent.atomic.AtomicLongArray;

/** What a connection counts, written by its thread alone, or the sum of several. */
final class Statistics {

    enum Counter {
        COMMANDS,
        HITS,
        MISSES,
        EVICTIONS,
        SETS,
        CHAIN_STEPS
    }

    private static final int COUNTERS = Counter.values().length;

    private final AtomicLongArray counts = new AtomicLongArray(COUNTERS);

    void tick(Counter counter) {
        // With one writer there is no need for an increment that others cannot come between.
        int i = counter.ordinal();
        counts.setOpaque(i, counts.getPlain(i) + 1);
    }

    long get(Counter counter) {
        return counts.getOpaque(counter.ordinal());
    }

    void add(Statistics other) {
        for (int i = 0; i < COUNTERS; i++) {
            counts.setOpaque(i, counts.getPlain(i) + other.counts.getOpaque(i));
        }
    }
}
