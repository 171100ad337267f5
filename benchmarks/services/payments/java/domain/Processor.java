package payments;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Set;

/** One that a payment can be routed to. */
public record Processor(
        String id,
        Set<String> countries,
        @JsonProperty("fixed_fee") long fixedFee,
        @JsonProperty("fee_basis_points") long feeBasisPoints,
        @JsonProperty("success_permille") long successPermille,
        @JsonProperty("latency_ms") long latencyMs,
        @JsonProperty("load_permille") long loadPermille,
        int[] weights) {

    public boolean serves(String country) {
        return countries.contains(country);
    }

    public long fee(long amount) {
        return fixedFee + amount * feeBasisPoints / 10_000;
    }

    public long score(long fee, int[] features) {
        long score = successPermille * 1000 - fee;
        score -= latencyMs * 10 + loadPermille * loadPermille / 100;
        for (int i = 0; i < features.length; i++) {
            score += weights[i] * features[i];
        }
        return score;
    }
}
