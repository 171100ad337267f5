package langbench.plain;

import java.util.Set;

/** One of a message's variables is of this kind and has one of these values. */
final class Condition {
    private final char kind;
    private final Set<Long> values;

    Condition(char kind, Set<Long> values) {
        this.kind = kind;
        this.values = values;
    }

    boolean holds(String type, Message message) {
        int slot = 0;
        for (char c : type.toCharArray()) {
            if (Tokens.isPlaceholder(c)) {
                if (c == kind && values.contains(message.values.get(slot))) {
                    return true;
                }
                slot++;
            }
        }
        return false;
    }
}
