package awfy;

import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The suite's own array that grows. */
final class Vector<E> {
    private static final int INITIAL = 10;

    private Object[] storage = {};
    private int first;
    private int end;

    int size() { return end - first; }

    boolean isEmpty() { return first == end; }

    /** An element, or null if there is none at that place. */
    @SuppressWarnings("unchecked")
    E at(int index) { return index < size() ? (E) storage[first + index] : null; }

    void append(E element) {
        Counts.elements++; // tick
        reserve(end);
        storage[end] = element;
        end++;
    }

    /** Puts an element at a place at which there is one, or just after the last one. */
    void put(int index, E element) {
        Counts.elements++; // tick
        reserve(first + index);
        storage[first + index] = element;
        end = Math.max(end, first + index + 1);
    }

    private void reserve(int place) {
        if (place == storage.length) {
            var larger = new Object[place == 0 ? INITIAL : 2 * place];
            for (int i = first; i < end; i++) {
                Counts.elements++; // tick
                larger[i] = storage[i];
            }
            storage = larger;
        }
    }

    /** Null if the vector is empty. */
    @SuppressWarnings("unchecked")
    E removeFirst() {
        if (isEmpty()) {
            return null;
        }
        Counts.elements++; // tick
        first++;
        return (E) storage[first - 1];
    }

    /** Removes the element, by identity; whether it was there. */
    boolean remove(E element) {
        var kept = new Object[storage.length];
        int length = 0;
        boolean found = false;
        for (int i = first; i < end; i++) {
            Counts.elements++; // tick
            if (storage[i] == element) {
                found = true;
            } else {
                kept[length] = storage[i];
                length++;
            }
        }
        storage = kept;
        first = 0;
        end = length;
        return found;
    }

    void removeAll() {
        storage = new Object[storage.length];
        first = 0;
        end = 0;
    }

    @SuppressWarnings("unchecked")
    void forEach(Consumer<E> action) {
        for (int i = first; i < end; i++) {
            Counts.elements++; // tick
            action.accept((E) storage[i]);
        }
    }

    @SuppressWarnings("unchecked")
    boolean hasSome(Predicate<E> condition) {
        for (int i = first; i < end; i++) {
            Counts.elements++; // tick
            if (condition.test((E) storage[i])) {
                return true;
            }
        }
        return false;
    }

    /** Puts the elements in order, by insertion; equal ones stay in theirs. */
    @SuppressWarnings("unchecked")
    void sort(BiPredicate<E, E> isBefore) {
        for (int i = first + 1; i < end; i++) {
            var element = storage[i];
            int place = i;
            while (place > first && isBefore.test((E) element, (E) storage[place - 1])) {
                Counts.elements++; // tick
                storage[place] = storage[place - 1];
                place--;
            }
            storage[place] = element;
        }
    }
}
