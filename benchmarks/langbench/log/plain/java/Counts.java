package langbench.plain;

import java.util.HashMap;
import java.util.Map;

/** What is counted. */
final class Counts {
    long lines;
    long tokens;
    long numbers;
    long references;
    long logTypes;
    long variables;
    long scanned;
    long candidates;
    long matches;

    Map<String, Long> byName() {
        Map<String, Long> counters = new HashMap<>();
        counters.put("lines", lines);
        counters.put("tokens", tokens);
        counters.put("numbers", numbers);
        counters.put("references", references);
        counters.put("log_types", logTypes);
        counters.put("variables", variables);
        counters.put("scanned", scanned);
        counters.put("candidates", candidates);
        counters.put("matches", matches);
        return counters;
    }
}
