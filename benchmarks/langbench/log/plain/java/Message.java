package langbench.plain;

import java.util.List;

/** A line of a log: its log type, and the values of its variables. */
final class Message {
    final int type;
    final List<Long> values;

    Message(int type, List<Long> values) {
        this.type = type;
        this.values = values;
    }
}
