package langbench.keyvalue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/** What a connection counts, written by its thread alone, or the sum of several. */
final class Statistics {

    enum Counter {
        COMMANDS,
        HITS,
        MISSES,
        EVICTIONS
    }

    private static final int COUNTERS = Counter.values().length;

    private final AtomicLongArray counts = new AtomicLongArray(COUNTERS);

    // By ticks. Others read them, but with one writer an increment cannot be lost.
    volatile long sets;
    volatile long chainSteps;

    void count(Counter counter) {
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
        sets += other.sets;
        chainSteps += other.chainSteps;
    }

    /** The benchmark's counters, in the order of the contract. */
    Map<String, Long> counters(long entries) {
        var counters = new LinkedHashMap<String, Long>();
        counters.put("sets", sets);
        counters.put("gets", get(Counter.HITS) + get(Counter.MISSES));
        counters.put("hits", get(Counter.HITS));
        counters.put("misses", get(Counter.MISSES));
        counters.put("chain_steps", chainSteps);
        counters.put("entries", entries);
        counters.put("evictions", get(Counter.EVICTIONS));
        return counters;
    }
}
