package langbench.keyvalue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import langbench.keyvalue.Statistics.Counter;

/** What the commands of one connection answer. */
final class Session {
    private static final int MOST_QUOTED_BYTES = 128;
    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final List<List<String>> SETTINGS =
            List.of(List.of("save", ""), List.of("appendonly", "no"));

    private interface Action {
        void carryOut(Session session, List<byte[]> words) throws IOException;
    }

    /** How many words it takes, its name among them, and what it does. */
    private record Command(Action action, int least, int most) {}

    private static final Map<String, Command> COMMANDS = Map.ofEntries(
            Map.entry("get", new Command(Session::get, 2, 2)),
            Map.entry("set", new Command(Session::set, 3, UNLIMITED)),
            Map.entry("del", new Command(Session::del, 2, UNLIMITED)),
            Map.entry("exists", new Command(Session::exists, 2, UNLIMITED)),
            Map.entry("ping", new Command(Session::ping, 1, 2)),
            Map.entry("dbsize", new Command(Session::dbsize, 1, 1)),
            Map.entry("flushall", new Command(Session::flushall, 1, UNLIMITED)),
            Map.entry("select", new Command(Session::select, 2, 2)),
            Map.entry("info", new Command(Session::info, 1, UNLIMITED)),
            Map.entry("config", new Command(Session::config, 2, UNLIMITED)),
            Map.entry("command", new Command(Session::command, 1, UNLIMITED)),
            Map.entry("debug", new Command(Session::debug, 2, UNLIMITED)),
            Map.entry("quit", new Command(Session::quit, 1, UNLIMITED)));

    private final Store store;
    private final Totals totals;
    private final Replies replies;
    private final Statistics statistics;
    private boolean open = true;

    Session(Store store, Totals totals, Replies replies) {
        this.store = store;
        this.totals = totals;
        this.replies = replies;
        statistics = totals.begin();
    }

    boolean isOpen() {
        return open;
    }

    void end() {
        totals.end(statistics);
    }

    void answer(List<byte[]> words) throws IOException {
        statistics.count(Counter.COMMANDS);
        var name = lower(words.get(0));
        var command = COMMANDS.get(name);
        if (command == null) {
            unknown(words);
        } else if (words.size() < command.least() || words.size() > command.most()) {
            wrongNumber(name);
        } else {
            command.action().carryOut(this, words);
        }
    }

    private void get(List<byte[]> words) throws IOException {
        var value = store.get(words.get(1), statistics);
        if (value == null) {
            statistics.count(Counter.MISSES);
            replies.nullBulk();
        } else {
            statistics.count(Counter.HITS);
            replies.bulk(value);
        }
    }

    private void set(List<byte[]> words) throws IOException {
        if (words.size() > 3) {
            replies.error("ERR syntax error");
        } else if (!store.set(words.get(1), words.get(2), statistics)) {
            replies.error("OOM command not allowed when used memory > 'maxmemory'.");
        } else {
            statistics.sets++; // tick
            replies.simple("OK");
        }
    }

    private void del(List<byte[]> words) throws IOException {
        int removed = 0;
        for (var key : words.subList(1, words.size())) {
            if (store.remove(key, statistics)) {
                removed++;
            }
        }
        replies.integer(removed);
    }

    private void exists(List<byte[]> words) throws IOException {
        int there = 0;
        for (var key : words.subList(1, words.size())) {
            if (store.get(key, statistics) != null) {
                there++;
            }
        }
        replies.integer(there);
    }

    private void ping(List<byte[]> words) throws IOException {
        if (words.size() == 1) {
            replies.simple("PONG");
        } else {
            replies.bulk(words.get(1));
        }
    }

    private void dbsize(List<byte[]> words) throws IOException {
        replies.integer(store.entries());
    }

    private void flushall(List<byte[]> words) throws IOException {
        if (words.size() > 1) {
            replies.error("ERR syntax error");
        } else {
            store.clear();
            replies.simple("OK");
        }
    }

    private void select(List<byte[]> words) throws IOException {
        var index = Requests.number(words.get(1), 0);
        if (index.isEmpty()) {
            replies.error("ERR value is not an integer or out of range");
        } else if (index.getAsLong() != 0) {
            replies.error("ERR DB index is out of range");
        } else {
            replies.simple("OK");
        }
    }

    private void info(List<byte[]> words) throws IOException {
        var told = totals.sum();
        int entries = store.entries();
        var lines = new ArrayList<String>(List.of(
                "# Server",
                "redis_version:0.0.0",
                "server_name:runfair-key-value",
                "language:java",
                "rows:" + store.rows(),
                "capacity_bytes:" + store.capacityBytes(),
                "",
                "# Stats",
                "total_commands_processed:" + told.get(Counter.COMMANDS),
                "keyspace_hits:" + told.get(Counter.HITS),
                "keyspace_misses:" + told.get(Counter.MISSES),
                "evicted_keys:" + told.get(Counter.EVICTIONS),
                ""));
        if (store.tellsAddresses()) {
            lines.addAll(Locality.lines(store.distances()));
        }
        if (totals.counting) {
            lines.add("# Runfair");
            told.counters(entries).forEach((name, value) -> lines.add(name + ":" + value));
            lines.add("");
        }
        lines.add("# Keyspace");
        if (entries > 0) {
            lines.add("db0:keys=" + entries + ",expires=0,avg_ttl=0");
        }
        replies.bulk(String.join("\r\n", lines) + "\r\n");
    }

    private void config(List<byte[]> words) throws IOException {
        if (!lower(words.get(1)).equals("get")) {
            unknownSubcommand("CONFIG", words.get(1));
            return;
        }
        if (words.size() == 2) {
            wrongNumber("config|get");
            return;
        }
        var asked = words.stream().skip(2).map(Session::lower).toList();
        var told = new ArrayList<String>();
        for (var setting : SETTINGS) {
            if (asked.contains(setting.get(0)) || asked.contains("*")) {
                told.addAll(setting);
            }
        }
        replies.array(told.size());
        for (var text : told) {
            replies.bulk(text);
        }
    }

    private void command(List<byte[]> words) throws IOException {
        if (words.size() == 1 || lower(words.get(1)).equals("docs")) {
            replies.array(0);
        } else if (!lower(words.get(1)).equals("count")) {
            unknownSubcommand("COMMAND", words.get(1));
        } else if (words.size() > 2) {
            wrongNumber("command|count");
        } else {
            replies.integer(COMMANDS.size());
        }
    }

    private void debug(List<byte[]> words) throws IOException {
        if (!lower(words.get(1)).equals("digest")) {
            unknownSubcommand("DEBUG", words.get(1));
        } else if (words.size() > 2) {
            wrongNumber("debug|digest");
        } else {
            replies.simple(String.format("%016x", store.digest()));
        }
    }

    private void quit(List<byte[]> words) throws IOException {
        open = false;
        replies.simple("OK");
    }

    private void wrongNumber(String name) throws IOException {
        replies.error("ERR wrong number of arguments for '" + name + "' command");
    }

    private void unknownSubcommand(String name, byte[] word) throws IOException {
        var quoted = cut(word, MOST_QUOTED_BYTES);
        replies.error("ERR unknown subcommand '" + quoted + "'. Try " + name + " HELP.");
    }

    private void unknown(List<byte[]> words) throws IOException {
        var quoted = new StringBuilder();
        for (var word : words.subList(1, words.size())) {
            if (quoted.length() >= MOST_QUOTED_BYTES) {
                break;
            }
            int left = MOST_QUOTED_BYTES - quoted.length();
            quoted.append('\'').append(cut(word, left)).append("' ");
        }
        replies.error("ERR unknown command '" + cut(words.get(0), MOST_QUOTED_BYTES)
                + "', with args beginning with: " + quoted);
    }

    /** A byte is a character. */
    private static String cut(byte[] word, int most) {
        return new String(word, 0, Math.min(word.length, most), StandardCharsets.ISO_8859_1);
    }

    private static String lower(byte[] word) {
        return cut(word, word.length).toLowerCase(Locale.ROOT);
    }
}
