package langbench.keyvalue;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import langbench.keyvalue.Statistics.Counter;
import runfair.Fnv1a;

/** The table. Statistics are those of the connection that asks. */
final class Store {
    private final Row[] rows;
    /** 0: room for everything. */
    private final long capacityBytes;

    /** Where INFO tells of them; else null. */
    private final Addresses addresses;

    private final AtomicLong usedBytes = new AtomicLong();

    Store(int rows, long capacityBytes, Addresses addresses) {
        this.rows = Stream.generate(Row::new).limit(rows).toArray(Row[]::new);
        this.capacityBytes = capacityBytes;
        this.addresses = addresses;
    }

    int rows() {
        return rows.length;
    }

    long capacityBytes() {
        return capacityBytes;
    }

    /** The value, or null. */
    byte[] get(byte[] key, Statistics statistics) {
        var row = rows[index(key)];
        synchronized (row) {
            var node = find(row, key, statistics);
            return node == null ? null : node.value;
        }
    }

    /** False where the value is longer than all of the room. */
    boolean set(byte[] key, byte[] value, Statistics statistics) {
        int start = index(key);
        if (capacityBytes > 0) {
            if (value.length > capacityBytes) {
                return false;
            }
            boolean evicted = true;
            usedBytes.addAndGet(value.length);
            while (usedBytes.get() > capacityBytes && evicted) {
                evicted = evict(start, statistics);
            }
        }
        var row = rows[start];
        synchronized (row) {
            var node = find(row, key, statistics);
            if (node == null) {
                row.append(new Node(key, value));
            } else {
                giveBack(node.value);
                node.value = value;
            }
        }
        return true;
    }

    /** Lets the oldest entry of the first row go that has one; whether there was one. */
    private boolean evict(int start, Statistics statistics) {
        for (int i = 0; i < rows.length; i++) {
            var row = rows[(start + i) % rows.length];
            synchronized (row) {
                if (row.first != null) {
                    statistics.count(Counter.EVICTIONS);
                    giveBack(row.first.value);
                    row.unlink(row.first);
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether there was such an entry. */
    boolean remove(byte[] key, Statistics statistics) {
        var row = rows[index(key)];
        synchronized (row) {
            var node = find(row, key, statistics);
            if (node == null) {
                return false;
            }
            giveBack(node.value);
            row.unlink(node);
            return true;
        }
    }

    void clear() {
        for (var row : rows) {
            synchronized (row) {
                for (var node = row.first; node != null; node = node.next) {
                    giveBack(node.value);
                }
                row.clear();
            }
        }
    }

    int entries() {
        int total = 0;
        for (var row : rows) {
            synchronized (row) {
                total += row.length;
            }
        }
        return total;
    }

    long digest() {
        long total = 0;
        for (var row : rows) {
            synchronized (row) {
                for (var node = row.first; node != null; node = node.next) {
                    var hash = new Fnv1a();
                    add(hash, node.key);
                    hash.add((byte) 0);
                    add(hash, node.value);
                    total += hash.value();
                }
            }
        }
        return total;
    }

    boolean tellsAddresses() {
        return addresses != null;
    }

    /** Between the addresses of neighbours, in ascending order. */
    long[] distances() {
        var distances = LongStream.builder();
        for (var row : rows) {
            synchronized (row) {
                for (var node = row.first; node != row.last; node = node.next) {
                    distances.add(addresses.distance(node, node.next));
                }
            }
        }
        return distances.build().sorted().toArray();
    }

    /** The node with that key, or null. */
    private static Node find(Row row, byte[] key, Statistics statistics) {
        for (var node = row.first; node != null; node = node.next) {
            statistics.chainSteps++; // tick
            if (Arrays.equals(node.key, key)) {
                return node;
            }
        }
        return null;
    }

    private int index(byte[] key) {
        var hash = new Fnv1a();
        add(hash, key);
        return (int) Long.remainderUnsigned(hash.value(), rows.length);
    }

    private static void add(Fnv1a hash, byte[] bytes) {
        for (byte b : bytes) {
            hash.add(b);
        }
    }

    private void giveBack(byte[] value) {
        if (capacityBytes > 0) {
            usedBytes.addAndGet(-value.length);
        }
    }
}
