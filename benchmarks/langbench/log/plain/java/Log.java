package langbench.plain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;
import runfair.UserMistake;

/** The contract's pseudocode over strings, lists and hash maps, in Java 8. */
public final class Log implements Harness.Program {
    private static final char VARIABLE_PLACEHOLDER = 17;
    private static final char NUMBER_PLACEHOLDER = 18;
    private static final int MOST_DIGITS = 13;

    private static final List<String> HADOOP = Arrays.asList(
            "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
            " container_1445144423722_0001_01_000007 ",
            "[fetcher#7] ",
            " attempt_*_0001_m_000003_1 is : ",
            "WARN * Slow ReadProcessor * took *77 ms; ack",
            " ip=/10.0.3.7 cmd=open ",
            "ERROR * Giving up * node-07.cluster.example:8020;");
    private static final List<String> SPARK = Arrays.asList(
            " spark.ContextCleaner: Started accumulator for stage ",
            " rdd_42_7 ",
            " boot = 17, ",
            " broadcast_1*7_piece0 stored ",
            "Finished task * in stage 12.0 (TID *). 2077 bytes",
            " ip=/10.0.3.7 cmd=remove ",
            "WARN util.Utils: Lost * retry 3 of 4");

    private long lines;
    private long tokens;
    private long numbers;
    private long references;
    private long logTypes;
    private long variables;
    private long scanned;
    private long candidates;
    private long matches;

    private boolean isIndexed;
    private final List<Query> queries = new ArrayList<>();
    private List<Path> files;
    private Archive archive;
    private List<List<String>> found;

    private static boolean isDigit(char c) {
        return '0' <= c && c <= '9';
    }

    private static boolean isLetter(char c) {
        return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z';
    }

    private static boolean isPlaceholder(char c) {
        return c == VARIABLE_PLACEHOLDER || c == NUMBER_PLACEHOLDER;
    }

    private static boolean isTokenByte(char c) {
        return isDigit(c)
                || isLetter(c)
                || isPlaceholder(c)
                || "+-./_\\".indexOf(c) >= 0
                || c >= 128;
    }

    private static int tokenEnd(String text, int begin) {
        int end = begin;
        while (end < text.length() && isTokenByte(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isVariable(String text, int begin, int end) {
        boolean letter = false;
        for (int at = begin; at < end; at++) {
            char c = text.charAt(at);
            if (isDigit(c) || isPlaceholder(c)) {
                return true;
            }
            letter |= isLetter(c);
        }
        return letter && begin > 0 && text.charAt(begin - 1) == '=';
    }

    /** The code of a number; null if it is none. */
    private static Long numberCode(String token) {
        boolean negative = token.charAt(0) == '-';
        long value = 0;
        int digits = 0;
        int scale = 0;
        boolean point = false;
        for (int at = negative ? 1 : 0; at < token.length(); at++) {
            char c = token.charAt(at);
            if (isDigit(c)) {
                digits++;
                if (digits > MOST_DIGITS) {
                    return null;
                }
                value = 10 * value + (c - '0');
                scale += point ? 1 : 0;
            } else if (c == '.' && digits > 0 && !point) {
                point = true;
            } else {
                return null;
            }
        }
        if (digits == 0 || point && scale == 0) {
            return null;
        }
        return (value * 16 + digits) * 32 + scale * 2 + (negative ? 1 : 0);
    }

    private static String numberText(long code) {
        int digits = (int) (code / 32 % 16);
        int scale = (int) (code / 2 % 16);
        StringBuilder text = new StringBuilder(Long.toString(code / 512));
        while (text.length() < digits) {
            text.insert(0, '0');
        }
        if (scale > 0) {
            text.insert(digits - scale, '.');
        }
        if (code % 2 == 1) {
            text.insert(0, '-');
        }
        return text.toString();
    }

    private static boolean matches(String text, List<String> pieces) {
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

    private static List<String> linesOf(String content) {
        List<String> lines = new ArrayList<>();
        int begin = 0;
        while (begin < content.length()) {
            int end = content.indexOf('\n', begin);
            if (end < 0) {
                end = content.length();
            }
            lines.add(content.substring(begin, end));
            begin = end + 1;
        }
        return lines;
    }

    private static final class Message {
        private final int type;
        private final List<Long> values;

        Message(int type, List<Long> values) {
            this.type = type;
            this.values = values;
        }
    }

    private final class Archive {
        private final List<String> types = new ArrayList<>();
        private final Map<String, Integer> typeIds = new HashMap<>();
        private final List<String> texts = new ArrayList<>();
        private final Map<String, Long> variableIds = new HashMap<>();
        private final List<List<Message>> files = new ArrayList<>();

        int typeId(String text) {
            Integer known = typeIds.get(text);
            if (known != null) {
                return known;
            }
            logTypes++; // tick
            typeIds.put(text, types.size());
            types.add(text);
            return types.size() - 1;
        }

        long variableId(String text) {
            Long known = variableIds.get(text);
            if (known != null) {
                return known;
            }
            variables++; // tick
            variableIds.put(text, (long) texts.size());
            texts.add(text);
            return texts.size() - 1;
        }

        void parse(String content) {
            List<Message> messages = new ArrayList<>();
            for (String line : linesOf(content)) {
                lines++; // tick
                List<Long> values = new ArrayList<>();
                StringBuilder type = new StringBuilder();
                int at = 0;
                while (at < line.length()) {
                    int begin = at;
                    at = tokenEnd(line, begin);
                    if (at == begin) {
                        type.append(line.charAt(at));
                        at++;
                        continue;
                    }
                    tokens++; // tick
                    String token = line.substring(begin, at);
                    if (!isVariable(line, begin, at)) {
                        type.append(token);
                        continue;
                    }
                    Long code = numberCode(token);
                    if (code != null) {
                        numbers++; // tick
                        values.add(code);
                        type.append(NUMBER_PLACEHOLDER);
                    } else {
                        references++; // tick
                        values.add(variableId(token));
                        type.append(VARIABLE_PLACEHOLDER);
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
                if (c == NUMBER_PLACEHOLDER) {
                    line.append(numberText(message.values.get(slot++)));
                } else if (c == VARIABLE_PLACEHOLDER) {
                    line.append(texts.get(message.values.get(slot++).intValue()));
                } else {
                    line.append(c);
                }
            }
            return line.toString();
        }
    }

    /** A token of the query that is not whole, but surely part of a variable. */
    private static final class Part {
        private final String text;
        private final boolean begins;
        private final boolean ends;

        Part(String text, boolean begins, boolean ends) {
            this.text = text;
            this.begins = begins;
            this.ends = ends;
        }

        boolean isPartOf(String variable) {
            if (begins) {
                return variable.startsWith(text);
            }
            return ends ? variable.endsWith(text) : variable.contains(text);
        }
    }

    private static final class Query {
        private final List<String> pieces = new ArrayList<>();
        private final List<String> fragments = new ArrayList<>();
        private final List<Long> codes = new ArrayList<>();
        private final List<String> texts = new ArrayList<>();
        private final List<Part> parts = new ArrayList<>();

        Query(String text) {
            for (String piece : text.split("\\*")) {
                if (!piece.isEmpty()) {
                    pieces.add(piece);
                    cut(piece);
                }
            }
        }

        private void cut(String piece) {
            StringBuilder fragment = new StringBuilder();
            int at = 0;
            while (at < piece.length()) {
                int begin = at;
                at = tokenEnd(piece, begin);
                if (at == begin) {
                    fragment.append(piece.charAt(at));
                    at++;
                } else if (begin > 0 && at < piece.length()) {
                    fragment.append(whole(piece, begin, at));
                } else {
                    end(fragment);
                    fragment = new StringBuilder();
                    part(piece, begin, at);
                }
            }
            end(fragment);
        }

        private void end(StringBuilder fragment) {
            if (fragment.length() > 0) {
                fragments.add(fragment.toString());
            }
        }

        private String whole(String piece, int begin, int end) {
            String token = piece.substring(begin, end);
            if (!isVariable(piece, begin, end)) {
                return token;
            }
            Long code = numberCode(token);
            if (code != null) {
                codes.add(code);
                return String.valueOf(NUMBER_PLACEHOLDER);
            }
            texts.add(token);
            return String.valueOf(VARIABLE_PLACEHOLDER);
        }

        private void part(String piece, int begin, int end) {
            String token = piece.substring(begin, end);
            if (!token.matches("[0-9.-]+") && isVariable(piece, begin, end)) {
                parts.add(new Part(token, begin > 0, end < piece.length()));
            }
        }

        Pattern expression() {
            StringBuilder expression = new StringBuilder();
            for (String piece : pieces) {
                if (expression.length() > 0) {
                    expression.append("[^\\n]*");
                }
                for (char c : piece.toCharArray()) {
                    if ("\\^$.|?+()[]{}".indexOf(c) >= 0) {
                        expression.append('\\');
                    }
                    expression.append(c);
                }
            }
            return Pattern.compile(expression.toString());
        }
    }

    /** One of a message's variables is of this kind and has one of these values. */
    private static final class Condition {
        private final char kind;
        private final Set<Long> values;

        Condition(char kind, Set<Long> values) {
            this.kind = kind;
            this.values = values;
        }

        boolean holds(String type, Message message) {
            int slot = 0;
            for (char c : type.toCharArray()) {
                if (isPlaceholder(c)) {
                    if (c == kind && values.contains(message.values.get(slot))) {
                        return true;
                    }
                    slot++;
                }
            }
            return false;
        }
    }

    private final class Plan {
        private final Query query;
        private final List<Boolean> wanted = new ArrayList<>();
        private final List<Condition> conditions = new ArrayList<>();

        Plan(Query query) {
            this.query = query;
            for (String type : archive.types) {
                scanned++; // tick
                wanted.add(Log.matches(type, query.fragments));
            }
            for (Long code : query.codes) {
                conditions.add(new Condition(NUMBER_PLACEHOLDER, Collections.singleton(code)));
            }
            for (String text : query.texts) {
                Long known = archive.variableIds.get(text);
                Set<Long> ids = known == null ? new HashSet<>() : Collections.singleton(known);
                conditions.add(new Condition(VARIABLE_PLACEHOLDER, ids));
            }
            for (Part part : query.parts) {
                Set<Long> ids = new HashSet<>();
                long id = 0;
                for (String text : archive.texts) {
                    scanned++; // tick
                    if (part.isPartOf(text)) {
                        ids.add(id);
                    }
                    id++;
                }
                conditions.add(new Condition(VARIABLE_PLACEHOLDER, ids));
            }
        }

        void search(List<Message> messages, List<String> results) {
            for (Message message : messages) {
                if (!wanted.get(message.type) || !isFulfilled(message)) {
                    continue;
                }
                candidates++; // tick
                String line = archive.decode(message);
                if (Log.matches(line, query.pieces)) {
                    matches++; // tick
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
    }

    private static List<String> readQueries(String path) {
        String named = "queries " + UserMistake.quoted(path);
        String content;
        try {
            byte[] bytes = Files.readAllBytes(Paths.get(path));
            content = new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IOException | InvalidPathException fault) {
            throw new UserMistake(named + " cannot be read; name a file of queries, one a line");
        }
        List<String> texts = new ArrayList<>();
        int number = 0;
        for (String line : linesOf(content)) {
            number++;
            for (char c : line.toCharArray()) {
                if (c < ' ' || c > '~') {
                    throw new UserMistake(
                            "line " + number + " of " + named + ": a query is printable ASCII");
                }
            }
            if (!line.isEmpty()) {
                texts.add(line);
            }
        }
        if (texts.isEmpty()) {
            throw new UserMistake(named + " holds no queries; write one a line");
        }
        return texts;
    }

    private static List<Path> logFiles(String folder) {
        String named = "input " + UserMistake.quoted(folder);
        List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Paths.get(folder))) {
            for (Path entry : entries) {
                if (Files.isRegularFile(entry)) {
                    paths.add(entry);
                }
            }
        } catch (IOException | InvalidPathException fault) {
            throw UserMistake.unreadableInput(folder, fault);
        }
        for (Path path : paths) {
            String name = path.getFileName().toString();
            for (char c : name.toCharArray()) {
                if (c >= 128) {
                    throw new UserMistake(
                            named + " holds " + UserMistake.quoted(name) + ": rename it to ASCII");
                }
            }
        }
        if (paths.isEmpty()) {
            throw new UserMistake(named + " holds no files; give a folder of logs");
        }
        Collections.sort(paths);
        return paths;
    }

    private static String read(Path path) {
        try {
            return new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
        } catch (IOException fault) {
            throw UserMistake.unreadableInput(path.toString(), fault);
        }
    }

    @Override
    public void load(Options options) {
        isIndexed = options.text("form").equals("indexed");
        String own = options.text("queries");
        List<String> texts = options.text("workload").equals("hadoop") ? HADOOP : SPARK;
        for (String text : own.isEmpty() ? texts : readQueries(own)) {
            queries.add(new Query(text));
        }
        files = logFiles(options.text("input"));
    }

    @Override
    public void prepare() {
        archive = new Archive();
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
            archive.parse(read(path));
        }
        List<Plan> plans = new ArrayList<>();
        for (Query query : queries) {
            plans.add(new Plan(query));
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
                for (String line : linesOf(read(path))) {
                    lines++; // tick
                    if (expression.matcher(line).find()) {
                        matches++; // tick
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
        Map<String, Long> counters = new HashMap<>();
        counters.put("lines", lines);
        counters.put("tokens", tokens);
        counters.put("numbers", numbers);
        counters.put("references", references);
        counters.put("log_types", logTypes);
        counters.put("variables", variables);
        counters.put("scanned", scanned);
        counters.put("candidates", candidates);
        counters.put("matches", matches);
        return counters;
    }

    public static void main(String[] arguments) {
        Harness.main("log", "plain", new Log(), arguments);
    }
}
