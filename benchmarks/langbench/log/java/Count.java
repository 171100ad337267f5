package langbench.log;

import java.nio.file.Path;
import java.util.List;
import runfair.Harness.Counter;

/** Counts what an iteration made; every file is decoded and compared with what is read anew. */
final class Count {
    private long lines;
    private long tokens;
    private long numbers;
    private long references;
    private long logTypes;
    private long variables;
    private long scanned;
    private long candidates;
    private long matches;
    private long decodedLines;

    Count(Results results, List<Path> files, int queries, int workers) {
        for (var found : results.matches) {
            matches += found.size();
        }
        if (results.archive == null) {
            for (var file : files) {
                lines += (long) queries * linesOf(Folder.read(file));
            }
            return;
        }
        logTypes = results.archive.logTypes.size();
        variables = results.archive.variables.texts().size();
        for (var plan : results.plans) {
            scanned += plan.scanned;
        }
        int file = 0;
        for (int worker = 0; worker < workers; worker++) {
            for (var messages : results.archive.files(worker)) {
                add(results, messages, Folder.read(files.get(file++)));
            }
        }
    }

    List<Counter> counters() {
        return List.of(
                new Counter("lines", lines),
                new Counter("tokens", tokens),
                new Counter("numbers", numbers),
                new Counter("references", references),
                new Counter("log_types", logTypes),
                new Counter("variables", variables),
                new Counter("scanned", scanned),
                new Counter("candidates", candidates),
                new Counter("matches", matches),
                new Counter("decoded_lines", decodedLines));
    }

    private static int linesOf(String content) {
        int lines = 0;
        for (int begin = 0; begin < content.length(); lines++) {
            begin = Parser.lineEnd(content, begin) + 1;
        }
        return lines;
    }

    private void add(Results results, Messages messages, String content) {
        var decoded = new StringBuilder();
        int at = 0;
        for (int i = 0; i < messages.size; i++) {
            var type = results.archive.logTypes.get(messages.types[i]);
            results.archive.decode(decoded, type, messages.values, at);
            if (i < messages.size - 1 || messages.ended) {
                decoded.append('\n');
            }
            int numbersOfType = (int) type.kinds().chars()
                    .filter(kind -> kind == Tokens.NUMBER_PLACEHOLDER)
                    .count();
            numbers += numbersOfType;
            references += type.kinds().length() - numbersOfType;
            at += type.kinds().length();
        }
        if (!content.contentEquals(decoded)) {
            throw new IllegalStateException("a file does not come back from its encoding");
        }
        lines += messages.size;
        decodedLines += messages.size;
        int limit = content.length();
        int begin = Tokens.begin(content, 0, limit);
        while (begin < limit) {
            tokens++;
            begin = Tokens.begin(content, Tokens.end(content, begin, limit), limit);
        }
        for (var plan : results.plans) {
            plan.forEachCandidate(messages, (type, values, from) -> candidates++);
        }
    }
}
