package awfy;

import java.util.function.Consumer;

/** The suite's own set: a vector without equal elements. */
class Set<E> {
    protected final Vector<E> items = new Vector<>();

    final int size() { return items.size(); }

    final void add(E element) {
        if (!contains(element)) {
            items.append(element);
        }
    }

    boolean contains(E element) { return items.hasSome(item -> item.equals(element)); }

    final void forEach(Consumer<E> action) { items.forEach(action); }

    /** A set in which only the same object is equal. */
    static final class Identity<E> extends Set<E> {
        @Override
        boolean contains(E element) { return items.hasSome(item -> item == element); }
    }
}
