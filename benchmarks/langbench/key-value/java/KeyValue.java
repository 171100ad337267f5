package langbench.keyvalue;

import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
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
        Service.main(
                "key-value",
                tier,
                (options, address) -> {
                    var totals = new Totals(options.has("count"));
                    return Server.start(load(options), totals, threads.apply(options), address);
                },
                arguments);
    }

    private static Store load(Options options) {
        long keys = options.number("keys");
        long rows = options.number("rows");
        long capacityBytes = options.number("capacity_bytes");
        var workload = options.text("workload");
        if (rows == 0) {
            rows = workload.equals("spread") ? powerOfTwo(keys) : CLASSIC_ROWS;
        }
        if (capacityBytes == 0 && workload.equals("capped")) {
            capacityBytes = Math.max(1, keys * options.number("value_bytes") * 3 / 4);
        }
        var addresses = options.number("addresses") == 1 ? Addresses.told().orElse(null) : null;
        return new Store((int) rows, capacityBytes, addresses);
    }

    /** The smallest that is at least so many. */
    private static long powerOfTwo(long least) {
        long power = Long.highestOneBit(least);
        return power == least ? power : 2 * power;
    }
}
