package langbench.plain;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import runfair.Fnv1a;

/** The contract's table: rows of linked nodes. The monitor of a row is its lock. */
final class Store {
    private static final class Node {
        final byte[] key;
        byte[] value;
        Node next;

        Node(byte[] key, byte[] value) {
            this.key = key;
            this.value = value;
        }
    }

    private static final class Row {
        Node first;
        Node last;

        void append(Node node) {
            if (last == null) {
                first = node;
            } else {
                last.next = node;
            }
            last = node;
        }

        void unlink(Node node) {
            Node before = null;
            for (Node other = first; other != node; other = other.next) {
                before = other;
            }
            if (before == null) {
                first = node.next;
            } else {
                before.next = node.next;
            }
            if (last == node) {
                last = before;
            }
        }
    }

    private final Row[] rows;
    private final long capacity; // 0: everything has room
    private final AtomicLong used = new AtomicLong();

    Store(int rows, long capacity) {
        this.rows = new Row[rows];
        for (int i = 0; i < rows; i++) {
            this.rows[i] = new Row();
        }
        this.capacity = capacity;
    }

    int rows() {
        return rows.length;
    }

    long capacity() {
        return capacity;
    }

    private int index(byte[] key) {
        Fnv1a hash = new Fnv1a();
        add(hash, key);
        return (int) Long.remainderUnsigned(hash.value(), rows.length);
    }

    private static void add(Fnv1a hash, byte[] bytes) {
        for (byte b : bytes) {
            hash.add(b);
        }
    }

    /** The node with that key, or null. */
    private static Node find(Row row, byte[] key, SessionCounts counts) {
        for (Node node = row.first; node != null; node = node.next) {
            counts.chainSteps++; // tick
            if (Arrays.equals(node.key, key)) {
                return node;
            }
        }
        return null;
    }

    /** The value, or null. */
    byte[] get(byte[] key, SessionCounts counts) {
        Row row = rows[index(key)];
        synchronized (row) {
            Node node = find(row, key, counts);
            return node == null ? null : node.value;
        }
    }

    /** Returns false if the value is longer than the capacity. */
    boolean set(byte[] key, byte[] value, SessionCounts counts) {
        int index = index(key);
        if (capacity > 0) {
            if (value.length > capacity) {
                return false;
            }
            used.addAndGet(value.length);
            boolean evicted = true;
            while (evicted && used.get() > capacity) {
                evicted = evict(index, counts);
            }
        }
        Row row = rows[index];
        synchronized (row) {
            Node node = find(row, key, counts);
            if (node == null) {
                row.append(new Node(key, value));
            } else {
                free(node.value);
                node.value = value;
            }
        }
        return true;
    }

    /** Returns whether there was an entry to evict. */
    private boolean evict(int start, SessionCounts counts) {
        for (int i = 0; i < rows.length; i++) {
            Row row = rows[(start + i) % rows.length];
            synchronized (row) {
                if (row.first != null) {
                    free(row.first.value);
                    row.unlink(row.first);
                    counts.evictions++;
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether there was such an entry. */
    boolean remove(byte[] key, SessionCounts counts) {
        Row row = rows[index(key)];
        synchronized (row) {
            Node node = find(row, key, counts);
            if (node == null) {
                return false;
            }
            free(node.value);
            row.unlink(node);
            return true;
        }
    }

    private void free(byte[] value) {
        if (capacity > 0) {
            used.addAndGet(-value.length);
        }
    }

    void clear() {
        for (Row row : rows) {
            synchronized (row) {
                while (row.first != null) {
                    free(row.first.value);
                    row.unlink(row.first);
                }
            }
        }
    }

    private void each(Consumer<Node> visit) {
        for (Row row : rows) {
            synchronized (row) {
                for (Node node = row.first; node != null; node = node.next) {
                    visit.accept(node);
                }
            }
        }
    }

    long entries() {
        long[] entries = new long[1];
        each(node -> entries[0]++);
        return entries[0];
    }

    long digest() {
        long[] sum = new long[1];
        each(node -> {
            Fnv1a hash = new Fnv1a();
            add(hash, node.key);
            hash.add((byte) 0);
            add(hash, node.value);
            sum[0] += hash.value();
        });
        return sum[0];
    }
}
