package langbench.log;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a message must have to be a candidate of a query. */
final class Plan {
    private final List<String> pieces;
    private final Archive archive;
    private final boolean[] wanted; // by log type
    private final List<Condition> conditions = new ArrayList<>();

    /** One of a message's variables is of this kind and has one of these values. */
    private record Condition(char kind, Set<Long> values) {
        boolean holds(String kinds, long[] found, int at) {
            for (int slot = 0; slot < kinds.length(); slot++) {
                if (kinds.charAt(slot) == kind && values.contains(found[at + slot])) {
                    return true;
                }
            }
            return false;
        }
    }

    Plan(Query query, Archive archive, Counts counts) {
        this.pieces = query.pieces;
        this.archive = archive;
        wanted = new boolean[archive.logTypes.size()];
        for (int id = 0; id < wanted.length; id++) {
            counts.scanned++; // tick
            wanted[id] = Query.matches(archive.logTypes.get(id).text(), query.fragments);
        }
        for (var code : query.numbers) {
            conditions.add(new Condition(Tokens.NUMBER_PLACEHOLDER, Set.of(code)));
        }
        for (var text : query.variables) {
            int id = archive.variables.find(text);
            Set<Long> ids = id == Dictionary.UNKNOWN ? Set.of() : Set.of((long) id);
            conditions.add(new Condition(Tokens.VARIABLE_PLACEHOLDER, ids));
        }
        var texts = archive.variables.texts();
        for (var part : query.parts) {
            var ids = new HashSet<Long>();
            for (int id = 0; id < texts.size(); id++) {
                counts.scanned++; // tick
                if (part.isPartOf(texts.get(id))) {
                    ids.add((long) id);
                }
            }
            conditions.add(new Condition(Tokens.VARIABLE_PLACEHOLDER, ids));
        }
    }

    /** Adds the lines of a file that match. */
    void search(Messages messages, int file, List<Match> found, Counts counts) {
        int at = 0;
        for (int i = 0; i < messages.size; i++) {
            int id = messages.types[i];
            var type = archive.logTypes.get(id);
            if (wanted[id] && fulfilled(type.kinds(), messages.values, at)) {
                counts.candidates++; // tick
                var line = archive.decode(type, messages.values, at);
                if (Query.matches(line, pieces)) {
                    counts.matches++; // tick
                    found.add(new Match(file, line));
                }
            }
            at += type.kinds().length();
        }
    }

    private boolean fulfilled(String kinds, long[] values, int at) {
        for (var condition : conditions) {
            if (!condition.holds(kinds, values, at)) {
                return false;
            }
        }
        return true;
    }
}
