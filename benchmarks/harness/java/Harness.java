package runfair;

import java.io.*;
import java.time.Instant;
import java.util.*;

/**
 * The iteration loop of the program contract (benchmarks/contract.md).
 *
 * <p>Before the first iteration the harness uses no lambdas, no {@code +} on strings and no
 * formatting: their first use costs a JVM more than 10 ms, which would count as start-up.
 */
public final class Harness {
    /** The library of cpuNs; services, which are not timed from inside, may lack it. */
    private static final String CPU_CLOCK = System.getProperty("runfair.cpuClock");
    private static volatile boolean inputEnded;

    /** A benchmark's task: one {@code load}, then the other steps in each iteration. */
    public interface Program {
        void load(Options options);
        void prepare();
        void run(); // alone is timed
        long digest();
        Map<String, Long> counters(); // all that has been counted so far
        default long threads(Options options) { // that are really used, asked before load
            return 1;
        }
    }

    public static void main(String benchmark, String tier, Program program, String[] arguments)
            throws IOException {
        try {
            var options = new Options(benchmark, arguments);
            var out = new Output();
            long startedNs = start(out, benchmark, tier, program.threads(options));
            program.load(options);
            iterate(program, options, out, startedNs);
        } catch (UserMistake mistake) {
            mistake.exit(benchmark);
        }
    }

    /** Adds the line of the start, and returns when that was. */
    static long start(Output out, String benchmark, String tier, long threads) throws IOException {
        long monotonicNs = System.nanoTime(); // CLOCK_MONOTONIC itself, on Linux
        var now = Instant.now();
        out.line("event", "start", "contract", 2, "benchmark", benchmark, "language", "java",
                "tier", tier, "runtime", System.getProperty("java.runtime.version"),
                "threads", threads, "processors", Runtime.getRuntime().availableProcessors(),
                "monotonic_ns", monotonicNs,
                "realtime_ns", now.getEpochSecond() * 1_000_000_000 + now.getNano(),
                "cpu_clock_resolution_ns", CPU_CLOCK == null ? 10_000_000 : 1,
                "effective", Effective.fields());
        return monotonicNs;
    }

    private static void iterate(Program program, Options options, Output out, long startedNs)
            throws IOException {
        System.load(CPU_CLOCK);
        long iterations = options.number("iterations");
        double seconds = options.has("seconds") ? Double.parseDouble(options.text("seconds")) : 1e9;
        if (iterations == 0) {
            var watcher = new EndOfInput();
            watcher.setDaemon(true);
            watcher.start();
        }
        out.flush();
        long index = 0;
        do {
            out.flushIfDue();
            iterate(out, program, index++, options.has("count"));
        } while (index != iterations && !inputEnded
                && System.nanoTime() - startedNs < 1e9 * seconds);
        out.line("event", "end", "iterations", index);
        out.flush();
    }

    private static void iterate(Output out, Program program, long index, boolean count) {
        program.prepare();
        Map<String, Long> before = count ? program.counters() : Map.of();
        long wallNs = System.nanoTime();
        long cpuNs = cpuNs(); // inside the wall clock's interval
        program.run();
        long cpuEndNs = cpuNs();
        long wallEndNs = System.nanoTime();
        out.line("event", "iteration", "index", index, "started_monotonic_ns", wallNs,
                "wall_ns", wallEndNs - wallNs, "cpu_ns", cpuEndNs - cpuNs,
                "digest", HexFormat.of().toHexDigits(program.digest()));
        if (count) {
            operations(out, before, program.counters());
        }
    }

    static void operations(Output out, Map<String, Long> before, Map<String, Long> after) {
        var counters = new ArrayList<Object>();
        after.forEach((name, counted) ->
                Collections.addAll(counters, name, counted - before.getOrDefault(name, 0L)));
        out.line("event", "operations", "counters", counters.toArray());
    }

    private static native long cpuNs();

    /** Waits in read(2) for the end of standard input, and takes no processor meanwhile. */
    private static final class EndOfInput extends Thread {
        @Override
        public void run() {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException broken) {
                // An input that cannot be read any more has ended.
            }
            inputEnded = true;
        }
    }
}
