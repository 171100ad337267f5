package runfair;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Java's half of the program contract for services: the lines {@code start}, {@code ready} and
 * {@code end}, and the end on SIGTERM.
 */
public final class Service {

    /** A server, whose framework starts it. */
    public interface Program {
        /**
         * Starts it, and returns once it listens and all that it needs is there.
         *
         * @throws UserMistake for what the command line asks for and cannot be had
         */
        Running start(Options options, Address address) throws Exception;
    }

    /** A server that listens. */
    public interface Running {
        int port();

        /** No new connections; returns once the requests under way are answered. */
        void stop() throws Exception;
    }

    /** Where to listen; port 0 lets the kernel choose. */
    public record Address(String host, int port) {
        /** That nobody can listen there, and why. */
        public UserMistake cannotBeListenedOn(String reason) {
            return new UserMistake("--host " + Options.quoted(host) + " --port " + port
                    + " cannot be listened on: " + Options.quoted(reason));
        }
    }

    private static final List<String> OPTIONS = List.of("--host", "--port", "--workload",
            "--size", "--seed", "--threads", "--input", "--param");
    private static final int GREATEST_PORT = 65535;

    private Service() {}

    /**
     * Carries out a service from its command line until SIGTERM; what the user did wrong ends the
     * process with status 2. Until told otherwise its workload is the first of the benchmark's.
     */
    public static void main(
            Harness.Benchmark benchmark, Program program, String[] arguments) {
        try {
            serve(benchmark, program, arguments);
        } catch (UserMistake mistake) {
            System.err.println(benchmark.name() + ": " + mistake.getMessage());
            System.exit(2);
        } catch (Exception failure) {
            // The threads that a framework has started by then would keep the process alive.
            failure.printStackTrace();
            System.exit(1);
        }
    }

    private static void serve(Harness.Benchmark benchmark, Program program, String[] arguments)
            throws Exception {
        var host = "127.0.0.1";
        var port = "0";
        var others = new ArrayList<String>();
        others.add("--workload");
        others.add(benchmark.workloads().get(0));
        for (int i = 0; i < arguments.length; i += 2) {
            var option = arguments[i];
            if (!OPTIONS.contains(option)) {
                throw new UserMistake("unknown option " + Options.quoted(option)
                        + "; the options are " + String.join(", ", OPTIONS));
            }
            if (i + 1 == arguments.length || arguments[i + 1].startsWith("--")) {
                throw new UserMistake(option + " needs a value after it");
            }
            switch (option) {
                case "--host" -> host = arguments[i + 1];
                case "--port" -> port = arguments[i + 1];
                default -> {
                    others.add(option);
                    others.add(arguments[i + 1]);
                }
            }
        }
        var options = Options.parse(benchmark, others.toArray(String[]::new));
        var address = new Address(host, port(port));

        var out = new Output();
        start(out, benchmark, options);
        var running = program.start(options, address);
        // SIGTERM has the virtual machine run its hooks and exit with 143: the hook ends it first.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(out, running), "end"));
        out.begin("ready").text("host", host).number("port", running.port()).end();
        out.flush();
    }

    private static int port(String text) {
        if (text.matches("[0-9]{1,5}") && Integer.parseInt(text) <= GREATEST_PORT) {
            return Integer.parseInt(text);
        }
        throw new UserMistake("--port takes an integer from 0 to " + GREATEST_PORT + ", not "
                + Options.quoted(text));
    }

    private static void end(Output out, Running running) {
        int status = 0;
        try {
            running.stop();
            out.begin("end").number("iterations", 0).end();
            out.flush();
        } catch (Exception failure) {
            failure.printStackTrace();
            status = 1;
        }
        Runtime.getRuntime().halt(status);
    }

    private static void start(Output out, Harness.Benchmark benchmark, Options options)
            throws IOException {
        var cpuClock = new CpuClock();
        long monotonicNs = System.nanoTime();
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
                .number("threads", options.threads())
                .number("processors", Runtime.getRuntime().availableProcessors())
                .number("monotonic_ns", monotonicNs)
                .number("realtime_ns", now.getEpochSecond() * 1_000_000_000 + now.getNano())
                .number("cpu_clock_resolution_ns", cpuClock.resolutionNs());
        out.beginObject("effective");
        Effective.tell(out, cpuClock.processId());
        out.end().end();
    }
}
