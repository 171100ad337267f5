package langbench.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Texts with ids from 0 on, in the order of their first appearance. */
class Dictionary {
    static final int UNKNOWN = -1;

    private final Map<String, Integer> ids = new HashMap<>();
    private final List<String> texts = new ArrayList<>();
    private final Counts.Entries entries;

    Dictionary(Counts.Entries entries) {
        this.entries = entries;
    }

    /** The id of the text, which is entered if it is new. */
    int id(String text) {
        int next = texts.size();
        var known = ids.putIfAbsent(text, next);
        if (known != null) {
            return known;
        }
        entries.made++; // tick
        texts.add(text);
        return next;
    }

    int find(String text) {
        return ids.getOrDefault(text, UNKNOWN);
    }

    List<String> texts() {
        return texts;
    }

    /** Enters another's texts in their order, and tells their ids. */
    int[] enter(Dictionary other) {
        var entered = new int[other.texts.size()];
        for (int i = 0; i < entered.length; i++) {
            entered[i] = id(other.texts.get(i));
        }
        return entered;
    }
}
