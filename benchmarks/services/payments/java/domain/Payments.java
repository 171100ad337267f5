package payments;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import runfair.Options;
import runfair.UserMistake;

/** What is kept in memory: the input of the service (benchmarks/services/payments/contract.md). */
public record Payments(List<String> records, List<Processor> processors) {

    public static Payments read(Options options, ObjectMapper json) {
        var bytes = options.readInput().getBytes(StandardCharsets.ISO_8859_1);
        try {
            return json.readValue(bytes, Payments.class);
        } catch (IOException malformed) {
            throw new UserMistake("input " + UserMistake.quoted(options.text("input"))
                    + " is not the payments.json of the generator");
        }
    }
}
