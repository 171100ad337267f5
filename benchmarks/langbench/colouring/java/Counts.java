package langbench;

import java.util.Map;

/** The operations of the attempts. */
final class Counts {
    long attempts;
    long subgraphs;
    long vertices;
    long edges;
    long probes;

    Map<String, Long> byName() {
        return Map.of(
                "attempts", attempts,
                "subgraphs", subgraphs,
                "vertices", vertices,
                "edges", edges,
                "probes", probes);
    }
}
