package langbench.keyvalue;

/** An entry, and the one that came into the row after it. */
final class Node {
    final byte[] key;
    /** Never changed, only replaced. */
    byte[] value;
    Node next;

    Node(byte[] key, byte[] value) {
        this.key = key;
        this.value = value;
    }
}
