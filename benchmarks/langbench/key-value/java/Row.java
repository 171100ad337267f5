package langbench.keyvalue;

/** A linked list of nodes, the oldest first. Its monitor is the row's lock. */
final class Row {
    Node first;
    Node last;
    int length;

    void append(Node node) {
        if (last == null) {
            first = node;
        } else {
            last.next = node;
        }
        last = node;
        length++;
    }

    void unlink(Node node) {
        Node before = null;
        for (var at = first; at != node; at = at.next) {
            before = at;
        }
        if (before == null) {
            first = node.next;
        } else {
            before.next = node.next;
        }
        if (last == node) {
            last = before;
        }
        length--;
    }

    void clear() {
        first = null;
        last = null;
        length = 0;
    }
}
