package langbench.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;

/** The benchmark langbench/log (contract.md beside this folder). */
public final class Log implements Harness.Program {
    private static final int MAX_THREADS = 1024;

    private final boolean shared; // whether all workers fill the same dictionaries
    private boolean indexed;
    private List<Query> queries;
    private List<Path> files;
    private int threads;
    private Workers workers;
    private List<Counts> counts; // of each worker
    private Results results;

    Log(boolean shared) {
        this.shared = shared;
    }

    /** What makes a worker's parser. All workers fill the same dictionaries if they are shared. */
    private IntFunction<Parser> newParsers() {
        if (!shared) {
            return worker -> new Parser(counts.get(worker));
        }
        var types = new SharedDictionary(counts.get(0).logTypes);
        var variables = new SharedDictionary(counts.get(0).variables);
        return worker -> new Parser(types, variables, counts.get(worker));
    }

    private void indexed() {
        var newParser = newParsers();
        var parsers = workers.perform(worker -> {
            var parser = newParser.apply(worker);
            for (int file = first(worker); file < first(worker + 1); file++) {
                parser.parse(Folder.read(files.get(file)));
            }
            return parser;
        });
        var archive = new Archive(parsers);
        var plans = queries.stream()
                .map(query -> new Plan(query, archive, counts.get(0)))
                .toList();
        results.archive = archive;
        results.plans = plans;
        workers.perform(worker -> {
            archive.renumber(worker);
            var found = Results.lists(plans.size());
            for (int i = 0; i < plans.size(); i++) {
                int file = first(worker);
                for (var messages : archive.files(worker)) {
                    plans.get(i).search(messages, file++, found.get(i), counts.get(worker));
                }
            }
            results.append(found);
            return worker;
        });
        results.sort();
    }

    private void regex() {
        var expressions = queries.stream().map(Query::expression).toList();
        workers.perform(worker -> {
            var found = Results.lists(expressions.size());
            for (int i = 0; i < expressions.size(); i++) {
                for (int file = first(worker); file < first(worker + 1); file++) {
                    search(expressions.get(i), file, found.get(i), counts.get(worker));
                }
            }
            results.append(found);
            return worker;
        });
        results.sort();
    }

    /** Adds the lines of a file in which the expression is found. */
    private void search(Pattern expression, int file, List<Match> found, Counts counts) {
        var content = Folder.read(files.get(file));
        var matcher = expression.matcher(content);
        for (int begin = 0; begin < content.length(); ) {
            int end = Parser.lineEnd(content, begin);
            counts.lines++; // tick
            if (matcher.region(begin, end).find()) {
                counts.matches++; // tick
                found.add(new Match(file, content.substring(begin, end)));
            }
            begin = end + 1;
        }
    }

    /** The first file of a worker's block. */
    private int first(int worker) {
        return (int) ((long) files.size() * worker / threads);
    }

    @Override
    public long threads(Options options) {
        return Math.min(options.number("threads"), MAX_THREADS);
    }

    /** Lists the files, cuts the queries and starts the workers. */
    @Override
    public void load(Options options) {
        indexed = options.text("form").equals("indexed");
        var own = options.text("queries");
        var texts = own.isEmpty()
                ? Folder.QUERIES.get(options.text("workload"))
                : Folder.readQueries(own);
        queries = texts.stream().map(Query::new).toList();
        files = Folder.logFiles(options.text("input"));
        threads = (int) threads(options);
        workers = new Workers(threads);
        counts = Stream.generate(Counts::new).limit(threads).toList();
    }

    /** Makes room for the results. */
    @Override
    public void prepare() {
        results = new Results(queries.size());
    }

    /** Answers the queries. */
    @Override
    public void run() {
        if (indexed) {
            indexed();
        } else {
            regex();
        }
    }

    /** Hashes the matches of each query, behind their number. */
    @Override
    public long digest() {
        var hash = new Fnv1a();
        for (var found : results.matches) {
            hash.add(found.size() + "\n");
            for (var match : found) {
                hash.add(match.line());
                hash.add((byte) '\n');
            }
        }
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() {
        return Counts.sum(counts);
    }

    public static void main(String[] arguments) throws IOException {
        Harness.main("log", "standard", new Log(false), arguments);
    }
}
