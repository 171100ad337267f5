package runfair;

import java.util.*;

/**
 * The iteration loop of benchmarks/contract.md. Before the first iteration the harness uses no
 * lambdas, no {@code +} on strings and no formatting: their first use costs a start 10 ms and more.
 */
public final class Harness {
    /** A benchmark's task: one {@code load}, then the other steps in each iteration. */
    public interface Program {
        void load(Options options);
        void prepare();
        void run(); // alone is timed
        long digest();
        Map<String, Long> counters(); // all that has been counted so far
        default long threads(Options options) { return 1; } // really used; asked before load
    }

    public static void main(String benchmark, String tier, Program program, String[] arguments) {
        var realtime = java.time.Instant.now(); // currentTimeMillis() has no fractions
        long startedNs = System.nanoTime(); // CLOCK_MONOTONIC itself, on Linux
        try {
            var options = new Options(benchmark, arguments);
            long iterations = options.number("iterations");
            var out = new Output(benchmark, tier, program.threads(options), startedNs, realtime);
            var seconds = options.has("seconds") ? options.text("seconds") : "1e9";
            program.load(options);
            System.load(System.getProperty("runfair.kernel"));
            long done = 0;
            do {
                out.flush(100_000_000); // at most ten times a second
                iterate(program, options, out, done++);
            } while (done != iterations && (iterations != 0 || !inputEnded())
                    && System.nanoTime() - startedNs < 1e9 * Double.parseDouble(seconds));
            out.line("event", "end", "iterations", done);
            out.flush(0);
        } catch (UserMistake mistake) {
            System.err.println(benchmark + ": " + mistake.getMessage());
            System.exit(2);
        }
    }

    private static void iterate(Program program, Options options, Output out, long index) {
        for (var recorder : options.recorders) {
            recorder.begin(index);
        }
        program.prepare();
        var before = program.counters();
        long wallNs = System.nanoTime();
        long cpuNs = cpuNs(); // inside the wall clock's interval
        program.run();
        long cpuEndNs = cpuNs();
        long wallEndNs = System.nanoTime();
        out.line("event", "iteration", "index", index, "started_monotonic_ns", wallNs,
                "wall_ns", wallEndNs - wallNs, "cpu_ns", cpuEndNs - cpuNs,
                "digest", HexFormat.of().toHexDigits(program.digest()),
                "samples", options.has("samples") ? Recorder.samples(options.recorders) : null);
        if (options.has("count")) {
            var counters = new ArrayList<Object>();
            program.counters().forEach((name, counted) ->
                    Collections.addAll(counters, name, counted - before.get(name)));
            out.line("event", "operations", "counters", counters.toArray());
        }
    }

    private static native long cpuNs(); // both of kernel.cpp
    private static native boolean inputEnded(); // never waits
}
