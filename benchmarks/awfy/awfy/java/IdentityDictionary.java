package awfy;

/** The suite's own dictionary: a table of lists of entries, which doubles; keys are objects. */
final class IdentityDictionary<K extends IdentityDictionary.Hashed, V> {
    private static final int INITIAL = 16;

    interface Hashed {
        int hash();
    }

    private static final class Entry<K, V> {
        final int hash;
        final K key;
        V value;
        Entry<K, V> next;

        Entry(int hash, K key, V value) {
            this.hash = hash;
            this.key = key;
            this.value = value;
        }
    }

    /** A list that grows at its end. */
    private static final class Chain<K, V> {
        Entry<K, V> first;
        private Entry<K, V> last;

        void append(Entry<K, V> entry) {
            if (last == null) {
                first = entry;
            } else {
                last.next = entry;
            }
            last = entry;
        }

        void end() {
            if (last != null) {
                last.next = null;
            }
        }
    }

    private Entry<K, V>[] buckets = newBuckets(INITIAL);
    private int size;

    @SuppressWarnings("unchecked")
    private static <K, V> Entry<K, V>[] newBuckets(int length) {
        return (Entry<K, V>[]) new Entry<?, ?>[length];
    }

    private static int spread(int hash) { return hash ^ hash >>> 16; }

    /** The value of a key, or null. */
    V get(K key) {
        int hash = spread(key.hash());
        var entry = buckets[hash & buckets.length - 1];
        while (entry != null) {
            Counts.elements++; // tick
            if (entry.hash == hash && entry.key == key) {
                return entry.value;
            }
            entry = entry.next;
        }
        return null;
    }

    void put(K key, V value) {
        int hash = spread(key.hash());
        int place = hash & buckets.length - 1;
        Entry<K, V> last = null;
        var entry = buckets[place];
        while (entry != null) {
            Counts.elements++; // tick
            if (entry.hash == hash && entry.key == key) {
                entry.value = value;
                return;
            }
            last = entry;
            entry = entry.next;
        }
        var added = new Entry<>(hash, key, value);
        if (last == null) {
            buckets[place] = added;
        } else {
            last.next = added;
        }
        size++;
        if (size > buckets.length) {
            grow();
        }
    }

    void removeAll() {
        buckets = newBuckets(buckets.length);
        size = 0;
    }

    /** Entries of a list go to its old place or to one in the upper half, in their order. */
    private void grow() {
        var old = buckets;
        buckets = newBuckets(2 * old.length);
        for (int i = 0; i < old.length; i++) {
            var lower = new Chain<K, V>();
            var upper = new Chain<K, V>();
            for (var entry = old[i]; entry != null; entry = entry.next) {
                Counts.elements++; // tick
                ((entry.hash & old.length) == 0 ? lower : upper).append(entry);
            }
            lower.end();
            upper.end();
            buckets[i] = lower.first;
            buckets[i + old.length] = upper.first;
        }
    }
}
