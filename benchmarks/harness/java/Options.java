package runfair;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The command line, with the contract's defaults filled in.
 *
 * @param seed unsigned
 * @param iterations -1 for no limit
 * @param untilTold go on until standard input ends ({@code --iterations 0})
 * @param maxDurationNs -1 for no limit
 */
public record Options(
        String workload,
        String size,
        long seed,
        int threads,
        List<String> inputs,
        long iterations,
        boolean untilTold,
        long maxDurationNs,
        boolean count,
        Map<String, String> parameters) {

    /**
     * The parameter as an integer from least to greatest.
     *
     * @throws UserMistake if it is anything else
     */
    public int integer(String parameter, int least, int greatest) {
        var text = parameters.get(parameter);
        if (isDecimal(text)) {
            try {
                int value = Integer.parseInt(text);
                if (least <= value && value <= greatest) {
                    return value;
                }
            } catch (NumberFormatException tooGreat) {
                // Said below.
            }
        }
        throw new UserMistake("--param " + parameter + " takes an integer from " + least + " to "
                + greatest + ", not " + quoted(text));
    }

    /**
     * The content of the i-th {@code --input}, a character a byte.
     *
     * @throws UserMistake if it cannot be read
     */
    public String readInput(int i) {
        var path = inputs.get(i);
        try {
            return Files.readString(Path.of(path), StandardCharsets.ISO_8859_1);
        } catch (IOException | InvalidPathException fault) {
            // The fault's own text may hold the path as it stands, be it of several lines.
            throw new UserMistake("--input " + quoted(path) + " cannot be read: "
                    + fault.getClass().getSimpleName());
        }
    }

    /** The text as a JSON string, so that a message that holds it remains one line. */
    public static String quoted(String text) {
        return Output.quoted(text);
    }

    static Options parse(Harness.Benchmark benchmark, String[] arguments) {
        var workload = "classic";
        var size = "unnamed";
        long seed = 1;
        int threads = 1;
        var inputs = new ArrayList<String>();
        long iterations = -1;
        long maxDurationNs = -1;
        boolean count = false;
        var parameters = new HashMap<String, String>();
        for (var parameter : benchmark.parameters()) {
            parameters.put(parameter.name(), parameter.normal());
        }

        for (int i = 0; i < arguments.length; i++) {
            var option = arguments[i];
            switch (option) {
                case "--count" -> count = true;
                case "--workload" -> workload = workload(benchmark, value(arguments, ++i));
                case "--size" -> size = value(arguments, ++i);
                case "--input" -> inputs.add(value(arguments, ++i));
                case "--param" -> assign(benchmark, parameters, value(arguments, ++i));
                case "--seed" -> seed = seed(value(arguments, ++i));
                case "--threads" ->
                        threads = (int) number(option, value(arguments, ++i), 1, Integer.MAX_VALUE);
                case "--iterations" ->
                        iterations = number(option, value(arguments, ++i), 0, Long.MAX_VALUE);
                case "--max-seconds" -> maxDurationNs = nanoseconds(value(arguments, ++i));
                default -> throw new UserMistake("unknown option " + quoted(option)
                        + "; the options are --workload, --size, --seed, --threads, --input,"
                        + " --param, --iterations, --max-seconds, --count");
            }
        }

        if (inputs.size() != benchmark.inputs()) {
            throw new UserMistake(
                    "takes " + benchmark.inputs() + " --input PATH, not " + inputs.size());
        }
        boolean untilTold = iterations == 0;
        if (untilTold) {
            iterations = -1;
        } else if (iterations < 0 && maxDurationNs < 0) {
            iterations = 1;
        }
        return new Options(workload, size, seed, threads, List.copyOf(inputs), iterations,
                untilTold, maxDurationNs, count, Map.copyOf(parameters));
    }

    private static String value(String[] arguments, int i) {
        if (i == arguments.length || arguments[i].startsWith("--")) {
            throw new UserMistake(arguments[i - 1] + " needs a value after it");
        }
        return arguments[i];
    }

    private static String workload(Harness.Benchmark benchmark, String name) {
        if (!benchmark.workloads().contains(name)) {
            throw new UserMistake("unknown workload " + quoted(name) + "; it is one of "
                    + String.join(", ", benchmark.workloads()));
        }
        return name;
    }

    private static void assign(
            Harness.Benchmark benchmark, Map<String, String> parameters, String assignment) {
        int equals = assignment.indexOf('=');
        if (equals < 0) {
            throw new UserMistake("--param takes NAME=VALUE, not " + quoted(assignment));
        }
        var name = assignment.substring(0, equals);
        if (!parameters.containsKey(name)) {
            var known = new ArrayList<String>();
            for (var parameter : benchmark.parameters()) {
                known.add(parameter.name());
            }
            throw new UserMistake(known.isEmpty()
                    ? "has no parameters; leave " + quoted(name) + " out"
                    : "unknown parameter " + quoted(name) + "; it is one of "
                            + String.join(", ", known));
        }
        parameters.put(name, assignment.substring(equals + 1));
    }

    private static long seed(String text) {
        if (isDecimal(text)) {
            try {
                return Long.parseUnsignedLong(text);
            } catch (NumberFormatException tooGreat) {
                // Said below.
            }
        }
        throw new UserMistake("--seed takes an integer from 0 to "
                + Long.toUnsignedString(-1) + ", not " + quoted(text));
    }

    private static long number(String option, String text, long least, long greatest) {
        if (isDecimal(text)) {
            try {
                long value = Long.parseLong(text);
                if (least <= value && value <= greatest) {
                    return value;
                }
            } catch (NumberFormatException tooGreat) {
                // Said below.
            }
        }
        throw new UserMistake(option + " takes an integer from " + least + " to " + greatest
                + ", not " + quoted(text));
    }

    /** From decimal seconds; below 2^63. */
    private static long nanoseconds(String text) {
        int point = text.indexOf('.');
        var whole = point < 0 ? text : text.substring(0, point);
        var fraction = point < 0 ? "0" : text.substring(point + 1);
        if (isDecimal(whole) && isDecimal(fraction)) {
            double durationNs = Double.parseDouble(text) * 1e9;
            if (durationNs < Long.MAX_VALUE) {
                return (long) durationNs;
            }
        }
        throw new UserMistake(
                "--max-seconds takes a decimal number such as 2.5, not " + quoted(text));
    }

    /** ASCII digits alone: parseLong would take signs and other scripts' digits as well. */
    private static boolean isDecimal(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return !text.isEmpty();
    }
}
