package langbench.keyvalue;

/** What a connection counts, for itself. */
final class Statistics {
    long commands;
    long hits;
    long misses;
    long evictions;
    long sets;
    long chainSteps;

    void add(Statistics other) {
        commands += other.commands;
        hits += other.hits;
        misses += other.misses;
        evictions += other.evictions;
        sets += other.sets;
        chainSteps += other.chainSteps;
    }

    void clear() {
        commands = 0;
        hits = 0;
        misses = 0;
        evictions = 0;
        sets = 0;
        chainSteps = 0;
    }
}
