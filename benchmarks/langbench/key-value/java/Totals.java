package langbench.keyvalue;

import java.util.HashSet;
import java.util.Set;

/** The statistics of all connections. */
final class Totals {
    /** Whether INFO tells all counters. */
    final boolean counting;

    private final Set<Statistics> open = new HashSet<>();
    private final Statistics ended = new Statistics();

    Totals(boolean counting) {
        this.counting = counting;
    }

    synchronized Statistics begin() {
        var statistics = new Statistics();
        open.add(statistics);
        return statistics;
    }

    synchronized void end(Statistics statistics) {
        open.remove(statistics);
        ended.add(statistics);
    }

    synchronized Statistics sum() {
        var sum = new Statistics();
        sum.add(ended);
        open.forEach(sum::add);
        return sum;
    }
}
