package langbench.log;

import java.util.ArrayList;
import java.util.List;

/** Encodes the files of one worker into dictionaries: its own, or those of all workers. */
final class Parser {
    final Dictionary types;
    final Dictionary variables;
    final List<Messages> files = new ArrayList<>();
    private final StringBuilder type = new StringBuilder(); // of the line at hand
    private final Counts counts;

    Parser(Counts counts) {
        types = new Dictionary(counts.logTypes);
        variables = new Dictionary(counts.variables);
        this.counts = counts;
    }

    Parser(Dictionary types, Dictionary variables, Counts counts) {
        this.types = types;
        this.variables = variables;
        this.counts = counts;
    }

    void parse(String content) {
        var messages = new Messages(content.endsWith("\n"));
        for (int begin = 0; begin < content.length(); ) {
            int end = lineEnd(content, begin);
            parseLine(content, begin, end, messages);
            begin = end + 1;
        }
        files.add(messages);
    }

    /** Where the line that begins there ends, without its line feed. */
    static int lineEnd(String content, int begin) {
        int feed = content.indexOf('\n', begin);
        return feed < 0 ? content.length() : feed;
    }

    private void parseLine(String text, int lineBegin, int lineEnd, Messages messages) {
        counts.lines++; // tick
        type.setLength(0);
        int copied = lineBegin;
        int begin = Tokens.begin(text, lineBegin, lineEnd);
        while (begin < lineEnd) {
            int end = Tokens.end(text, begin, lineEnd);
            counts.tokens++; // tick
            if (Tokens.isVariable(text, begin, end)) {
                type.append(text, copied, begin);
                copied = end;
                long code = Tokens.numberCode(text, begin, end);
                if (code != Tokens.NOT_A_NUMBER) {
                    type.append(Tokens.NUMBER_PLACEHOLDER);
                    counts.numbers++; // tick
                    messages.addValue(code);
                } else {
                    type.append(Tokens.VARIABLE_PLACEHOLDER);
                    counts.references++; // tick
                    messages.addValue(variables.id(text.substring(begin, end)));
                }
            }
            begin = Tokens.begin(text, end, lineEnd);
        }
        type.append(text, copied, lineEnd);
        messages.addType(types.id(type.toString()));
    }
}
