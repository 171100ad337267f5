package langbench.log;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The matches of every query, to which workers append theirs. They keep what the workers made, so
 * that its memory lives as long as elsewhere.
 */
final class Results {
    final List<List<Match>> matches;
    Archive archive;
    List<Plan> plans = List.of();

    Results(int queries) {
        matches = lists(queries);
    }

    /** A list for the matches of each query. */
    static List<List<Match>> lists(int queries) {
        var lists = new ArrayList<List<Match>>();
        for (int i = 0; i < queries; i++) {
            lists.add(new ArrayList<>());
        }
        return lists;
    }

    synchronized void append(List<List<Match>> found) {
        for (int i = 0; i < found.size(); i++) {
            matches.get(i).addAll(found.get(i));
        }
    }

    void sort() {
        for (var found : matches) {
            found.sort(Comparator.comparingInt(Match::file));
        }
    }
}
