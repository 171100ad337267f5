package runfair;

import java.net.*;
import java.time.Instant;
import java.util.*;

/** A program that answers requests until SIGTERM. */
public interface Service {
    /**
     * Starts it; returns when it listens and has all that it needs.
     *
     * @throws SocketException if it cannot listen there
     */
    Running start(Options options, InetSocketAddress address) throws Exception;

    /** A service that listens. */
    interface Running {
        int port();
        void stop() throws Exception; // takes no new connections, answers the requests under way
        default Map<String, Long> counters() { return Map.of(); } // if a library does the work
    }

    static void main(String benchmark, String tier, Service service, String[] arguments) {
        try {
            var options = new Options(benchmark, arguments);
            var out = new Output(benchmark, tier, options.number("threads"),
                    System.nanoTime(), Instant.now());
            var running = started(service, options);
            // SIGTERM has the JVM run its hooks and exit with 143: the hook ends it first.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(out, running, options)));
            out.line("event", "ready", "host", options.text("host"), "port", running.port());
            out.flush(0);
        } catch (UserMistake mistake) {
            System.err.println(benchmark + ": " + mistake.getMessage());
            System.exit(2);
        } catch (Exception failure) {
            failure.printStackTrace();
            System.exit(1); // threads that a framework has started would keep the process alive
        }
    }

    private static Running started(Service service, Options options) throws Exception {
        var host = options.text("host");
        int port = (int) options.number("port");
        var address = new InetSocketAddress(host, port);
        try {
            if (address.isUnresolved()) {
                throw new SocketException("unknown host");
            }
            return service.start(options, address);
        } catch (SocketException refused) {
            throw new UserMistake("host " + UserMistake.quoted(host) + " port " + port
                    + " cannot be listened on: " + UserMistake.quoted(refused.getMessage()));
        }
    }

    private static void end(Output out, Running running, Options options) {
        try {
            running.stop();
            if (options.has("count") && !running.counters().isEmpty()) {
                var counters = new ArrayList<Object>();
                running.counters().forEach((name, count) ->
                        Collections.addAll(counters, name, count));
                out.line("event", "operations", "counters", counters.toArray());
            }
            out.line("event", "end", "iterations", 0);
            out.flush(0);
            Runtime.getRuntime().halt(0);
        } catch (Exception failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }
}
