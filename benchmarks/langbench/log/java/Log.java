package langbench.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Harness.Counter;
import runfair.Harness.Parameter;
import runfair.Options;
import runfair.UserMistake;

/** The benchmark langbench/log (contract.md beside this folder). */
public final class Log implements Harness.Program {
    private static final int MAX_THREADS = 1024;

    private boolean indexed;
    private List<Query> queries;
    private List<Path> files;
    private int threads;
    private Workers workers;
    private Results results;

    private void indexed() {
        var parsers = workers.perform(worker -> {
            var parser = new Parser();
            for (int file = first(worker); file < first(worker + 1); file++) {
                parser.parse(Folder.read(files.get(file)));
            }
            return parser;
        });
        var archive = new Archive(parsers);
        var plans = queries.stream().map(query -> new Plan(query, archive)).toList();
        results.archive = archive;
        results.plans = plans;
        workers.perform(worker -> {
            archive.renumber(worker);
            var found = Results.lists(plans.size());
            for (int i = 0; i < plans.size(); i++) {
                int file = first(worker);
                for (var messages : archive.files(worker)) {
                    plans.get(i).search(messages, file++, found.get(i));
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
                    search(expressions.get(i), file, found.get(i));
                }
            }
            results.append(found);
            return worker;
        });
        results.sort();
    }

    /** Adds the lines of a file in which the expression is found. */
    private void search(Pattern expression, int file, List<Match> found) {
        var content = Folder.read(files.get(file));
        var matcher = expression.matcher(content);
        for (int begin = 0; begin < content.length(); ) {
            int end = Parser.lineEnd(content, begin);
            if (matcher.region(begin, end).find()) {
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
    public int threads(Options options) {
        return Math.min(options.threads(), MAX_THREADS);
    }

    /** Lists the files, cuts the queries and starts the workers. */
    @Override
    public void load(Options options) {
        var form = options.parameters().get("form");
        if (!List.of("indexed", "regex").contains(form)) {
            throw new UserMistake(
                    "unknown form " + Options.quoted(form) + "; it is one of indexed, regex");
        }
        indexed = form.equals("indexed");
        var texts = Folder.QUERIES.get(options.workload());
        if (texts == null) {
            throw new UserMistake("unknown workload " + Options.quoted(options.workload())
                    + "; it is one of hadoop, spark");
        }
        var own = options.parameters().get("queries");
        if (!own.isEmpty()) {
            texts = Folder.readQueries(own);
        }
        queries = texts.stream().map(Query::new).toList();
        files = Folder.logFiles(options.inputs().get(0));
        threads = threads(options);
        workers = new Workers(threads);
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
                for (int i = 0; i < match.line().length(); i++) {
                    hash.add((byte) match.line().charAt(i));
                }
                hash.add((byte) '\n');
            }
        }
        return hash.value();
    }

    /** Answers the queries and counts what the iteration made. */
    @Override
    public List<Counter> count() {
        run();
        return new Count(results, files, queries.size(), threads).counters();
    }

    public static void main(String[] arguments) throws IOException {
        var benchmark = new Harness.Benchmark(
                "log",
                "standard",
                List.of("hadoop", "spark"),
                List.of(new Parameter("form", "indexed"), new Parameter("queries", "")),
                1);
        Harness.main(benchmark, new Log(), arguments);
    }
}
