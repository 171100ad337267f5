package langbench.log;

import java.util.List;
import java.util.Map;

/** What one worker counts. */
final class Counts {
    long lines;
    long tokens;
    long numbers;
    long references;
    final Entries logTypes = new Entries();
    final Entries variables = new Entries();
    long scanned;
    long candidates;
    long matches;

    /** The entries that were made in the dictionaries of one kind. */
    static final class Entries {
        long made;
    }

    /**
     * The sum of all workers. Worker 0's dictionaries become everyone's, so their entries alone
     * are counted: those that worker 0 made, and those that the merge made.
     */
    static Map<String, Long> sum(List<Counts> workers) {
        var sum = new Counts();
        for (var counts : workers) {
            sum.lines += counts.lines;
            sum.tokens += counts.tokens;
            sum.numbers += counts.numbers;
            sum.references += counts.references;
            sum.scanned += counts.scanned;
            sum.candidates += counts.candidates;
            sum.matches += counts.matches;
        }
        return Map.of(
                "lines", sum.lines,
                "tokens", sum.tokens,
                "numbers", sum.numbers,
                "references", sum.references,
                "log_types", workers.get(0).logTypes.made,
                "variables", workers.get(0).variables.made,
                "scanned", sum.scanned,
                "candidates", sum.candidates,
                "matches", sum.matches);
    }
}
