package langbench.keyvalue;

import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import runfair.Harness.Benchmark;
import runfair.Harness.Parameter;
import runfair.Options;
import runfair.Service;

/** A server of keys and values (langbench/key-value/contract.md). */
public final class KeyValue {
    private static final int CLASSIC_ROWS = 1024;

    private KeyValue() {}

    public static void main(String[] arguments) {
        serve("standard", options -> Thread::new, arguments);
    }

    /** The service in that tier: its connections are on the threads that it makes. */
    static void serve(
            String tier, Function<Options, ThreadFactory> threads, String[] arguments) {
        var benchmark = new Benchmark(
                "key-value",
                tier,
                List.of("spread", "classic", "capped"),
                List.of(
                        new Parameter("keys", "500"),
                        new Parameter("value_bytes", "64"),
                        new Parameter("rows", "0"),
                        new Parameter("capacity_bytes", "0"),
                        new Parameter("count", "0"),
                        new Parameter("addresses", "0")),
                0);
        Service.main(
                benchmark,
                (options, address) ->
                        Server.start(load(options), threads.apply(options), address),
                arguments);
    }

    private static Store load(Options options) {
        int keys = options.integer("keys", 1, 1 << 20);
        int valueBytes = options.integer("value_bytes", 1, 1_000_000);
        int rows = options.integer("rows", 0, 1 << 20);
        long capacityBytes = options.integer("capacity_bytes", 0, Integer.MAX_VALUE);
        boolean count = options.integer("count", 0, 1) == 1;
        boolean told = options.integer("addresses", 0, 1) == 1;
        if (rows == 0) {
            rows = options.workload().equals("spread") ? powerOfTwo(keys) : CLASSIC_ROWS;
        }
        if (capacityBytes == 0 && options.workload().equals("capped")) {
            capacityBytes = Math.max(1, (long) keys * valueBytes * 3 / 4);
        }
        var addresses = told ? Addresses.told().orElse(null) : null;
        return count
                ? new CountingStore(rows, capacityBytes, addresses)
                : new Store(rows, capacityBytes, addresses);
    }

    /** The smallest that is at least so many. */
    private static int powerOfTwo(int least) {
        int power = Integer.highestOneBit(least);
        return power == least ? power : 2 * power;
    }
}
