package langbench;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Vertices in ascending order, and the neighbours of each.
 *
 * <p>Ids are unsigned: one of 2^31 and more is a negative Integer, which compares accordingly.
 */
record Graph(List<Integer> vertices, Map<Integer, Set<Integer>> neighbours) {

    /** A graph without edges as yet. */
    static Graph on(Collection<Integer> vertices) {
        var ascending = new ArrayList<>(vertices);
        ascending.sort(Integer::compareUnsigned);
        return new Graph(ascending, new HashMap<>());
    }

    /** The graph of these edges, which are given from both ends. */
    static Graph of(Map<Integer, Set<Integer>> neighbours) {
        return new Graph(on(neighbours.keySet()).vertices, neighbours);
    }

    static Set<Integer> emptySet() {
        return new HashSet<>();
    }
}
