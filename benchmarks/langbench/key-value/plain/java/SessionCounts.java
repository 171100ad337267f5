package langbench.plain;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The counts of one connection, or the sum of several. One thread writes them, and INFO of other
 * connections reads them.
 */
final class SessionCounts {
    volatile long processed;
    volatile long hits;
    volatile long misses;
    volatile long evictions;
    volatile long sets;
    volatile long gets;
    volatile long chainSteps;

    void add(SessionCounts other) {
        processed += other.processed;
        hits += other.hits;
        misses += other.misses;
        evictions += other.evictions;
        sets += other.sets;
        gets += other.gets;
        chainSteps += other.chainSteps;
    }

    Map<String, Long> counters(long entries) {
        Map<String, Long> counters = new LinkedHashMap<>();
        counters.put("sets", sets);
        counters.put("gets", gets);
        counters.put("hits", hits);
        counters.put("misses", misses);
        counters.put("chain_steps", chainSteps);
        counters.put("entries", entries);
        counters.put("evictions", evictions);
        return counters;
    }
}
