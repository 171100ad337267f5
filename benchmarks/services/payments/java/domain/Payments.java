package payments;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import runfair.Harness.Benchmark;
import runfair.Harness.Parameter;
import runfair.Options;
import runfair.UserMistake;

/** What is kept in memory: the input of the service (benchmarks/services/payments/contract.md). */
public record Payments(List<String> records, List<Processor> processors) {

    private static final int MOST_CONNECTIONS = 1000;

    /** What every framework's program has in common for the harness. */
    public static Benchmark benchmark(String tier) {
        return new Benchmark(
                "payments",
                tier,
                List.of("pay", "route", "order"),
                List.of(new Parameter("database", ""), new Parameter("connections", "16")),
                1);
    }

    public static Payments read(Options options, ObjectMapper json) {
        var bytes = options.readInput(0).getBytes(StandardCharsets.ISO_8859_1);
        try {
            return json.readValue(bytes, Payments.class);
        } catch (IOException malformed) {
            throw new UserMistake("--input " + Options.quoted(options.inputs().get(0))
                    + " is not the payments.json of the generator");
        }
    }

    public static int connections(Options options) {
        return options.integer("connections", 1, MOST_CONNECTIONS);
    }
}
