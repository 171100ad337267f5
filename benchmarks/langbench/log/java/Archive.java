package langbench.log;

import java.util.ArrayList;
import java.util.List;

/** The encoded files of all workers, with dictionaries in common. */
final class Archive {
    final List<LogType> logTypes = new ArrayList<>();
    final Dictionary variables;
    private final List<Block> blocks = new ArrayList<>();

    /** A worker's files, and the common ids of what its own dictionaries held; null: these ids. */
    private record Block(List<Messages> files, int[] types, int[] variables) {}

    /**
     * Worker 0's dictionaries become everyone's; those of the others are entered in order, unless
     * they are everyone's already.
     */
    Archive(List<Parser> parsers) {
        var first = parsers.get(0);
        var types = first.types;
        variables = first.variables;
        for (var parser : parsers) {
            blocks.add(parser.types == types
                    ? new Block(parser.files, null, null)
                    : new Block(
                            parser.files,
                            types.enter(parser.types),
                            variables.enter(parser.variables)));
        }
        for (var text : types.texts()) {
            logTypes.add(LogType.of(text));
        }
    }

    List<Messages> files(int worker) {
        return blocks.get(worker).files();
    }

    /** Gives the messages of a worker the common ids, unless they have them. */
    void renumber(int worker) {
        var block = blocks.get(worker);
        if (block.types() == null) {
            return;
        }
        for (var messages : block.files()) {
            int at = 0;
            for (int i = 0; i < messages.size; i++) {
                int common = block.types()[messages.types[i]];
                messages.types[i] = common;
                var kinds = logTypes.get(common).kinds();
                for (int slot = 0; slot < kinds.length(); slot++) {
                    if (kinds.charAt(slot) == Tokens.VARIABLE_PLACEHOLDER) {
                        messages.values[at] = block.variables()[(int) messages.values[at]];
                    }
                    at++;
                }
            }
        }
    }

    /** The line of a message, whose values stand from there on. */
    String decode(LogType type, long[] values, int at) {
        var line = new StringBuilder();
        var text = type.text();
        var kinds = type.kinds();
        int copied = 0;
        for (int slot = 0; slot < kinds.length(); slot++) {
            char kind = kinds.charAt(slot);
            int placeholder = text.indexOf(kind, copied);
            line.append(text, copied, placeholder);
            copied = placeholder + 1;
            if (kind == Tokens.NUMBER_PLACEHOLDER) {
                Tokens.appendNumber(line, values[at + slot]);
            } else {
                line.append(variables.texts().get((int) values[at + slot]));
            }
        }
        return line.append(text, copied, text.length()).toString();
    }
}
