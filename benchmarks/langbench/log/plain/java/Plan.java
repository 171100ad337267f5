package langbench.plain;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The search for one query in the index. */
final class Plan {
    private final Archive archive;
    private final Counts counts;
    private final Query query;
    private final List<Boolean> wanted = new ArrayList<>();
    private final List<Condition> conditions = new ArrayList<>();

    Plan(Query query, Archive archive, Counts counts) {
        this.archive = archive;
        this.counts = counts;
        this.query = query;
        for (String type : archive.types) {
            counts.scanned++; // tick
            wanted.add(contains(type, query.fragments));
        }
        for (Long code : query.codes) {
            conditions.add(new Condition(Tokens.NUMBER_PLACEHOLDER, Collections.singleton(code)));
        }
        for (String text : query.texts) {
            Long known = archive.variableIds.get(text);
            Set<Long> ids = known == null ? new HashSet<>() : Collections.singleton(known);
            conditions.add(new Condition(Tokens.VARIABLE_PLACEHOLDER, ids));
        }
        for (Part part : query.parts) {
            Set<Long> ids = new HashSet<>();
            long id = 0;
            for (String text : archive.texts) {
                counts.scanned++; // tick
                if (part.isPartOf(text)) {
                    ids.add(id);
                }
                id++;
            }
            conditions.add(new Condition(Tokens.VARIABLE_PLACEHOLDER, ids));
        }
    }

    void search(List<Message> messages, List<String> results) {
        for (Message message : messages) {
            if (!wanted.get(message.type) || !isFulfilled(message)) {
                continue;
            }
            counts.candidates++; // tick
            String line = archive.decode(message);
            if (contains(line, query.pieces)) {
                counts.matches++; // tick
                results.add(line);
            }
        }
    }

    private boolean isFulfilled(Message message) {
        String type = archive.types.get(message.type);
        for (Condition condition : conditions) {
            if (!condition.holds(type, message)) {
                return false;
            }
        }
        return true;
    }

    private static boolean contains(String text, List<String> pieces) {
        int from = 0;
        for (String piece : pieces) {
            int at = text.indexOf(piece, from);
            if (at < 0) {
                return false;
            }
            from = at + piece.length();
        }
        return true;
    }
}
