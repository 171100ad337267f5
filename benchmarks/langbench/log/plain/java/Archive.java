package langbench.plain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the files hold, encoded: two dictionaries, and the messages of each file. */
final class Archive {
    private final Counts counts;
    final List<String> types = new ArrayList<>();
    private final Map<String, Integer> typeIds = new HashMap<>();
    final List<String> texts = new ArrayList<>();
    final Map<String, Long> variableIds = new HashMap<>();
    final List<List<Message>> files = new ArrayList<>();

    Archive(Counts counts) {
        this.counts = counts;
    }

    int typeId(String text) {
        Integer known = typeIds.get(text);
        if (known != null) {
            return known;
        }
        counts.logTypes++; // tick
        typeIds.put(text, types.size());
        types.add(text);
        return types.size() - 1;
    }

    long variableId(String text) {
        Long known = variableIds.get(text);
        if (known != null) {
            return known;
        }
        counts.variables++; // tick
        variableIds.put(text, (long) texts.size());
        texts.add(text);
        return texts.size() - 1;
    }

    void parse(String content) {
        List<Message> messages = new ArrayList<>();
        for (String line : Folder.linesOf(content)) {
            counts.lines++; // tick
            List<Long> values = new ArrayList<>();
            StringBuilder type = new StringBuilder();
            int at = 0;
            while (at < line.length()) {
                int begin = at;
                at = Tokens.tokenEnd(line, begin);
                if (at == begin) {
                    type.append(line.charAt(at));
                    at++;
                    continue;
                }
                counts.tokens++; // tick
                String token = line.substring(begin, at);
                if (!Tokens.isVariable(line, begin, at)) {
                    type.append(token);
                    continue;
                }
                Long code = Tokens.numberCode(token);
                if (code != null) {
                    counts.numbers++; // tick
                    values.add(code);
                    type.append(Tokens.NUMBER_PLACEHOLDER);
                } else {
                    counts.references++; // tick
                    values.add(variableId(token));
                    type.append(Tokens.VARIABLE_PLACEHOLDER);
                }
            }
            messages.add(new Message(typeId(type.toString()), values));
        }
        files.add(messages);
    }

    String decode(Message message) {
        StringBuilder line = new StringBuilder();
        int slot = 0;
        for (char c : types.get(message.type).toCharArray()) {
            if (c == Tokens.NUMBER_PLACEHOLDER) {
                line.append(Tokens.numberText(message.values.get(slot++)));
            } else if (c == Tokens.VARIABLE_PLACEHOLDER) {
                line.append(texts.get(message.values.get(slot++).intValue()));
            } else {
                line.append(c);
            }
        }
        return line.toString();
    }
}
