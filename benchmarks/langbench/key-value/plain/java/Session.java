package langbench.plain;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What each command of one connection replies (langbench/key-value/contract.md, "Commands"). */
final class Session {
    private static final int COMMANDS = 13;
    private static final int MOST_QUOTED = 128;

    final SessionCounts counts = new SessionCounts();
    private final Store store;
    private final Supplier<SessionCounts> sumOfAll;
    private final boolean isCounting;
    private boolean open = true;

    Session(Store store, Supplier<SessionCounts> sumOfAll, boolean isCounting) {
        this.store = store;
        this.sumOfAll = sumOfAll;
        this.isCounting = isCounting;
    }

    boolean isOpen() {
        return open;
    }

    byte[] reply(List<byte[]> words) {
        counts.processed++;
        String name = lower(words.get(0));
        int size = words.size();
        switch (name) {
            case "get":
                return size == 2 ? get(words.get(1)) : wrongNumber(name);
            case "set":
                return size >= 3 ? set(words) : wrongNumber(name);
            case "del":
                return size >= 2 ? del(words.subList(1, size)) : wrongNumber(name);
            case "exists":
                return size >= 2 ? exists(words.subList(1, size)) : wrongNumber(name);
            case "ping":
                if (size > 2) {
                    return wrongNumber(name);
                }
                return size == 2 ? bulk(words.get(1)) : simple("PONG");
            case "dbsize":
                return size == 1 ? integer(store.entries()) : wrongNumber(name);
            case "flushall":
                if (size > 1) {
                    return error("ERR syntax error");
                }
                store.clear();
                return simple("OK");
            case "select":
                return size == 2 ? select(words.get(1)) : wrongNumber(name);
            case "info":
                return bulk(bytes(info()));
            case "config":
                return size >= 2 ? config(words) : wrongNumber(name);
            case "command":
                return command(words);
            case "debug":
                return size >= 2 ? debug(words) : wrongNumber(name);
            case "quit":
                open = false;
                return simple("OK");
            default:
                return unknown(words);
        }
    }

    private byte[] get(byte[] key) {
        counts.gets++; // tick
        byte[] value = store.get(key, counts);
        if (value == null) {
            counts.misses++;
            return bytes("$-1\r\n");
        }
        counts.hits++;
        return bulk(value);
    }

    private byte[] set(List<byte[]> words) {
        if (words.size() > 3) {
            return error("ERR syntax error");
        }
        if (!store.set(words.get(1), words.get(2), counts)) {
            return error("OOM command not allowed when used memory > 'maxmemory'.");
        }
        counts.sets++; // tick
        return simple("OK");
    }

    private byte[] del(List<byte[]> keys) {
        int removed = 0;
        for (byte[] key : keys) {
            if (store.remove(key, counts)) {
                removed++;
            }
        }
        return integer(removed);
    }

    private byte[] exists(List<byte[]> keys) {
        int there = 0;
        for (byte[] key : keys) {
            if (store.get(key, counts) != null) {
                there++;
            }
        }
        return integer(there);
    }

    private static byte[] select(byte[] word) {
        Long index = Requests.number(text(word));
        if (index == null) {
            return error("ERR value is not an integer or out of range");
        }
        return index == 0 ? simple("OK") : error("ERR DB index is out of range");
    }

    private String info() {
        SessionCounts sum = sumOfAll.get();
        long entries = store.entries();
        String text = "# Server\r\nredis_version:0.0.0\r\nserver_name:runfair-key-value\r\n"
                + "language:java\r\nrows:" + store.rows()
                + "\r\ncapacity_bytes:" + store.capacity()
                + "\r\n\r\n# Stats\r\ntotal_commands_processed:" + sum.processed
                + "\r\nkeyspace_hits:" + sum.hits
                + "\r\nkeyspace_misses:" + sum.misses
                + "\r\nevicted_keys:" + sum.evictions + "\r\n\r\n";
        if (isCounting) {
            text += "# Runfair\r\n";
            for (Map.Entry<String, Long> counter : sum.counters(entries).entrySet()) {
                text += counter.getKey() + ":" + counter.getValue() + "\r\n";
            }
            text += "\r\n";
        }
        text += "# Keyspace\r\n";
        return entries > 0 ? text + "db0:keys=" + entries + ",expires=0,avg_ttl=0\r\n" : text;
    }

    private static byte[] config(List<byte[]> words) {
        if (!lower(words.get(1)).equals("get")) {
            return unknownSubcommand("CONFIG", words.get(1));
        }
        if (words.size() < 3) {
            return wrongNumber("config|get");
        }
        List<String> asked = new ArrayList<>();
        for (byte[] word : words.subList(2, words.size())) {
            asked.add(lower(word));
        }
        int found = 0;
        String text = "";
        if (asked.contains("save") || asked.contains("*")) {
            found += 2;
            text += "$4\r\nsave\r\n$0\r\n\r\n";
        }
        if (asked.contains("appendonly") || asked.contains("*")) {
            found += 2;
            text += "$10\r\nappendonly\r\n$2\r\nno\r\n";
        }
        return bytes("*" + found + "\r\n" + text);
    }

    private static byte[] command(List<byte[]> words) {
        if (words.size() == 1 || lower(words.get(1)).equals("docs")) {
            return bytes("*0\r\n");
        }
        if (!lower(words.get(1)).equals("count")) {
            return unknownSubcommand("COMMAND", words.get(1));
        }
        return words.size() == 2 ? integer(COMMANDS) : wrongNumber("command|count");
    }

    private byte[] debug(List<byte[]> words) {
        if (!lower(words.get(1)).equals("digest")) {
            return unknownSubcommand("DEBUG", words.get(1));
        }
        if (words.size() > 2) {
            return wrongNumber("debug|digest");
        }
        return simple(String.format("%016x", store.digest()));
    }

    private static byte[] wrongNumber(String name) {
        return error("ERR wrong number of arguments for '" + name + "' command");
    }

    private static byte[] unknownSubcommand(String name, byte[] word) {
        String quoted = cut(word, MOST_QUOTED);
        return error("ERR unknown subcommand '" + quoted + "'. Try " + name + " HELP.");
    }

    private static byte[] unknown(List<byte[]> words) {
        String quoted = "";
        for (byte[] word : words.subList(1, words.size())) {
            if (quoted.length() < MOST_QUOTED) {
                quoted += "'" + cut(word, MOST_QUOTED - quoted.length()) + "' ";
            }
        }
        String name = cut(words.get(0), MOST_QUOTED);
        return error("ERR unknown command '" + name + "', with args beginning with: " + quoted);
    }

    private static String cut(byte[] word, int most) {
        return text(word).substring(0, Math.min(word.length, most));
    }

    static byte[] error(String text) {
        return bytes("-" + text.replace('\r', ' ').replace('\n', ' ') + "\r\n");
    }

    private static byte[] simple(String text) {
        return bytes("+" + text + "\r\n");
    }

    private static byte[] integer(long value) {
        return bytes(":" + value + "\r\n");
    }

    private static byte[] bulk(byte[] value) {
        byte[] head = bytes("$" + value.length + "\r\n");
        byte[] reply = new byte[head.length + value.length + 2];
        System.arraycopy(head, 0, reply, 0, head.length);
        System.arraycopy(value, 0, reply, head.length, value.length);
        reply[reply.length - 2] = '\r';
        reply[reply.length - 1] = '\n';
        return reply;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String text(byte[] word) {
        return new String(word, StandardCharsets.ISO_8859_1);
    }

    /** Changes ASCII letters only. */
    private static String lower(byte[] word) {
        byte[] lowered = word.clone();
        for (int i = 0; i < lowered.length; i++) {
            if (lowered[i] >= 'A' && lowered[i] <= 'Z') {
                lowered[i] += 'a' - 'A';
            }
        }
        return text(lowered);
    }
}
