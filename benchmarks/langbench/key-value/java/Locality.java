package langbench.keyvalue;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** How far apart the nodes of a row lie. */
final class Locality {

    /** A distance, and how many pairs of neighbours have it. */
    private record Distance(long bytes, int pairs) {}

    private Locality() {}

    /** The lines of INFO's section. The distances come in ascending order. */
    static List<String> lines(long[] distances) {
        var each = new ArrayList<Distance>();
        for (int i = 0, start = 0; i < distances.length; i++) {
            if (i + 1 == distances.length || distances[i + 1] != distances[i]) {
                each.add(new Distance(distances[i], i + 1 - start));
                start = i + 1;
            }
        }
        int different = each.size();
        each.add(new Distance(0, 0));
        each.add(new Distance(0, 0));
        each.sort(Comparator.comparingInt(Distance::pairs).reversed());
        long median = distances.length == 0 ? 0 : distances[(distances.length - 1) / 2];
        return List.of(
                "# Locality",
                "collections:" + collections(),
                "pairs:" + distances.length,
                "median_distance_bytes:" + median,
                "different_distances:" + different,
                "frequent_distance_bytes:" + each.get(0).bytes(),
                "frequent_distance_pairs:" + each.get(0).pairs(),
                "next_frequent_distance_bytes:" + each.get(1).bytes(),
                "next_frequent_distance_pairs:" + each.get(1).pairs(),
                "");
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }
}
