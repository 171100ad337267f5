package payments;

import java.util.List;
import java.util.Optional;

/** What {@code POST /route} is asked. */
public record Routing(long amount, String country, String card) {

    private static final long MOST = 1_000_000_000;
    private static final int DIGITS = 16;
    private static final int FEATURES = 32;

    /** What it answers. */
    public record Choice(String processor, long score, long fee, int eligible) {}

    /** @throws BadRequest for an amount that is out of range or a card that is none */
    public Routing {
        if (amount < 1 || amount > MOST || card.length() != DIGITS || !Digits.only(card)) {
            throw new BadRequest();
        }
    }

    /** The best of the processors, or none where no one serves the country. */
    public Optional<Choice> choice(List<Processor> processors) {
        var features = features();
        Processor best = null;
        long bestScore = 0;
        long bestFee = 0;
        int eligible = 0;
        for (var processor : processors) {
            if (!processor.serves(country)) {
                continue;
            }
            eligible++;
            long fee = processor.fee(amount);
            long score = processor.score(fee, features);
            if (best == null || score > bestScore) {
                best = processor;
                bestScore = score;
                bestFee = fee;
            }
        }
        return best == null
                ? Optional.empty()
                : Optional.of(new Choice(best.id(), bestScore, bestFee, eligible));
    }

    private int[] features() {
        var features = new int[FEATURES];
        for (int i = 0; i < FEATURES; i++) {
            int digit = card.charAt(i % DIGITS) - '0';
            features[i] = (int) (amount >> i % 24 ^ digit) & 255;
        }
        return features;
    }
}
