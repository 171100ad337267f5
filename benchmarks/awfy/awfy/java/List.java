package awfy;

/** Takeuchi's function on the lengths of linked lists. */
final class List extends Benchmark {
    private static final class Element {
        Element next;

        int length() {
            Counts.steps++; // tick
            return next == null ? 1 : 1 + next.length();
        }
    }

    @Override
    long once() { return tail(make(15), make(10), make(6)).length(); }

    private static Element make(int length) {
        if (length == 0) {
            return null;
        }
        var element = new Element();
        element.next = make(length - 1);
        return element;
    }

    private static boolean isShorter(Element one, Element other) {
        var x = one;
        for (var y = other; y != null; y = y.next) {
            if (x == null) {
                return true;
            }
            x = x.next;
        }
        return false;
    }

    private static Element tail(Element x, Element y, Element z) {
        Counts.steps++; // tick
        if (isShorter(y, x)) {
            return tail(tail(x.next, y, z), tail(y.next, z, x), tail(z.next, x, y));
        }
        return z;
    }
}
