package langbench.keyvalue;

import java.util.Arrays;
import langbench.keyvalue.Statistics.Counter;

/** Counts the nodes that walks look at. Never loaded where time counts. */
final class CountingStore extends Store {

    CountingStore(int rows, long capacityBytes, Addresses addresses) {
        super(rows, capacityBytes, addresses);
    }

    @Override
    Node find(Row row, byte[] key, Statistics statistics) {
        for (var node = row.first; node != null; node = node.next) {
            statistics.tick(Counter.CHAIN_STEPS);
            if (Arrays.equals(node.key, key)) {
                return node;
            }
        }
        return null;
    }
}
