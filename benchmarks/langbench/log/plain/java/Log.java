package langbench.plain;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;

/** The contract's pseudocode over strings, lists and hash maps, in Java 8. */
public final class Log implements Harness.Program {
    private final Counts counts = new Counts();
    private boolean isIndexed;
    private final List<Query> queries = new ArrayList<>();
    private List<Path> files;
    private Archive archive;
    private List<List<String>> found;

    @Override
    public void load(Options options) {
        isIndexed = options.text("form").equals("indexed");
        String own = options.text("queries");
        List<String> texts = options.text("workload").equals("hadoop") ? Query.HADOOP : Query.SPARK;
        for (String text : own.isEmpty() ? texts : Folder.readQueries(own)) {
            queries.add(new Query(text));
        }
        files = Folder.logFiles(options.text("input"));
    }

    @Override
    public void prepare() {
        archive = new Archive(counts);
        found = new ArrayList<>();
    }

    @Override
    public void run() {
        if (isIndexed) {
            indexed();
        } else {
            regex();
        }
    }

    private void indexed() {
        for (Path path : files) {
            archive.parse(Folder.read(path));
        }
        List<Plan> plans = new ArrayList<>();
        for (Query query : queries) {
            plans.add(new Plan(query, archive, counts));
        }
        for (Plan plan : plans) {
            List<String> results = new ArrayList<>();
            for (List<Message> messages : archive.files) {
                plan.search(messages, results);
            }
            found.add(results);
        }
    }

    private void regex() {
        List<Pattern> expressions = new ArrayList<>();
        for (Query query : queries) {
            expressions.add(query.expression());
        }
        for (Pattern expression : expressions) {
            List<String> results = new ArrayList<>();
            for (Path path : files) {
                for (String line : Folder.linesOf(Folder.read(path))) {
                    counts.lines++; // tick
                    if (expression.matcher(line).find()) {
                        counts.matches++; // tick
                        results.add(line);
                    }
                }
            }
            found.add(results);
        }
    }

    @Override
    public long digest() {
        Fnv1a hash = new Fnv1a();
        for (List<String> results : found) {
            hash.add(results.size() + "\n");
            for (String line : results) {
                hash.add(line);
                hash.add((byte) '\n');
            }
        }
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() {
        return counts.byName();
    }

    public static void main(String[] arguments) {
        Harness.main("log", "plain", new Log(), arguments);
    }
}
