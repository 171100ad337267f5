package runfair;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;

/**
 * Java's half of the program contract (benchmarks/contract.md, version 1): the iteration loop.
 *
 * <p>No class of the harness uses lambdas, string concatenation by {@code +} or formatting before
 * the first iteration: their first use costs a JVM more than 10 ms, which would be measured as the
 * program's start-up.
 */
public final class Harness {

    /** What the contract of a benchmark fixes; {@code inputs} is how many files it reads. */
    public record Benchmark(
            String name,
            String tier,
            List<String> workloads,
            List<Parameter> parameters,
            int inputs) {}

    /** A parameter that a size gives its benchmark. */
    public record Parameter(String name, String normal) {}

    /**
     * A benchmark's task. The harness calls {@code load} once, then {@code prepare},
     * {@code run} and {@code digest} for each iteration; only {@code run} is timed. Each may
     * throw {@link UserMistake} for a fault of the input.
     */
    public interface Program {
        void load(Options options);

        void prepare();

        void run();

        long digest();

        /** Does what {@code run} does, and counts the operations of the contract. */
        List<Counter> count();

        /** How many threads it will really use, asked before {@code load}. */
        default int threads(Options options) {
            return 1;
        }

        /** Figures of its own, asked for after each iteration. */
        default List<Metric> metrics() {
            return List.of();
        }

        /** Distributions, asked for after each iteration. */
        default List<Sample> samples() {
            return List.of();
        }
    }

    /** How often an operation of the task happened. */
    public record Counter(String name, long value) {}

    /** A figure of the benchmark's own. */
    public record Metric(String name, double value, String unit) {}

    /** A distribution. */
    public sealed interface Sample {
        String name();

        String unit();

        /** Every value. */
        record Values(String name, String unit, double[] values) implements Sample {}

        /** An HdrHistogram, V2 compressed, base 64. */
        record Hdr(String name, String unit, String encoded) implements Sample {}
    }

    private final Program program;
    private final Options options;
    private final CpuClock cpuClock = new CpuClock();
    private final Output out = new Output();

    private Harness(Program program, Options options) throws IOException {
        this.program = program;
        this.options = options;
    }

    /**
     * Carries out a program from its command line to its end; what the user did wrong ends the
     * process with status 2.
     *
     * @throws IOException if the process cannot read its own accounting or write its output
     */
    public static void main(Benchmark benchmark, Program program, String[] arguments)
            throws IOException {
        try {
            var options = Options.parse(benchmark, arguments);
            new Harness(program, options).execute(benchmark);
        } catch (UserMistake mistake) {
            System.err.println(benchmark.name() + ": " + mistake.getMessage());
            System.exit(2);
        }
    }

    private void execute(Benchmark benchmark) throws IOException {
        long startedNs = start(benchmark);
        program.load(options);
        out.flush();

        var told = options.untilTold() ? EndOfStream.of(System.in) : null;
        long index = 0;
        while (true) {
            iterate(index++);
            if (options.count()
                    || options.iterations() == index
                    || (options.maxDurationNs() >= 0
                            && System.nanoTime() - startedNs >= options.maxDurationNs())
                    || (told != null && told.reached)) {
                break;
            }
            out.flushIfDue();
        }
        out.begin("end").number("iterations", index).end();
        out.flush();
    }

    /** Says the start, and returns when it was. */
    private long start(Benchmark benchmark) throws IOException {
        long monotonicNs = System.nanoTime(); // CLOCK_MONOTONIC itself, on Linux
        var now = Instant.now();
        out.begin("start")
                .number("contract", 1)
                .text("benchmark", benchmark.name())
                .text("language", "java")
                .text("tier", benchmark.tier())
                .text("workload", options.workload())
                .text("size", options.size())
                .unsigned("seed", options.seed())
                .text("runtime", System.getProperty("java.runtime.version"))
                .number("threads", program.threads(options))
                .number("processors", Runtime.getRuntime().availableProcessors())
                .number("monotonic_ns", monotonicNs)
                .number("realtime_ns", now.getEpochSecond() * 1_000_000_000 + now.getNano())
                .number("cpu_clock_resolution_ns", cpuClock.resolutionNs());
        out.beginObject("effective");
        Effective.tell(out, cpuClock.processId());
        out.end().end();
        return monotonicNs;
    }

    /** Does one iteration and says it; the CPU clock is read inside the wall clock's interval. */
    private void iterate(long index) throws IOException {
        List<Counter> counters = null;
        program.prepare();
        long wallNs = System.nanoTime();
        long cpuNs = cpuClock.nowNs();
        if (options.count()) {
            counters = program.count();
        } else {
            program.run();
        }
        long cpuEndNs = cpuClock.nowNs();
        long wallEndNs = System.nanoTime();

        out.begin("iteration")
                .number("index", index)
                .number("started_monotonic_ns", wallNs)
                .number("wall_ns", wallEndNs - wallNs)
                .number("cpu_ns", cpuEndNs - cpuNs)
                .text("digest", Fnv1a.hexadecimal(program.digest()));
        var metrics = program.metrics();
        if (!metrics.isEmpty()) {
            out.beginObject("metrics");
            for (var metric : metrics) {
                out.beginObject(metric.name())
                        .decimal("value", metric.value())
                        .text("unit", metric.unit())
                        .end();
            }
            out.end();
        }
        out.end();
        for (var sample : program.samples()) {
            out.begin("sample").text("name", sample.name()).text("unit", sample.unit());
            if (sample instanceof Sample.Values all) {
                out.decimals("values", all.values());
            } else if (sample instanceof Sample.Hdr histogram) {
                out.text("hdr", histogram.encoded());
            }
            out.end();
        }
        if (counters != null) {
            out.begin("operations").beginObject("counters");
            for (var counter : counters) {
                out.number(counter.name(), counter.value());
            }
            out.end().end();
        }
    }

    /** Waits for the end of a stream in read(2), and holds no processor meanwhile. */
    private static final class EndOfStream extends Thread {
        private final InputStream stream;
        volatile boolean reached;

        private EndOfStream(InputStream stream) {
            super("end-of-stream");
            this.stream = stream;
            setDaemon(true);
        }

        static EndOfStream of(InputStream stream) {
            var end = new EndOfStream(stream);
            end.start();
            return end;
        }

        @Override
        public void run() {
            var ignored = new byte[4096];
            try {
                while (stream.read(ignored) >= 0) {
                    // What is said there has no meaning; only its end has.
                }
            } catch (IOException broken) {
                // A stream that cannot be read any more has ended.
            }
            reached = true;
        }
    }
}
