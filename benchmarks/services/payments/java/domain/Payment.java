package payments;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** What {@code POST /pay/AMOUNT} is asked. */
public record Payment(String card, String merchant, String currency) {

    private static final long MOST = 1_000_000_000_000L;
    private static final int REFERENCE_BYTES = 8;
    private static final int INDEX_BYTES = 6;

    /** What it answers. */
    public record Receipt(
            String status,
            long amount,
            String currency,
            String merchant,
            String reference,
            String record) {}

    /** @throws BadRequest for anything but an amount in decimal digits */
    public static long amount(String text) {
        return Digits.number(text, MOST);
    }

    /** Whether an amount is in its range. */
    public static boolean payable(long amount) {
        return 1 <= amount && amount <= MOST;
    }

    public Receipt receipt(long amount, List<String> records) {
        var key = sha256(card + ":" + merchant);
        long index = 0;
        for (int i = 0; i < INDEX_BYTES; i++) {
            index = index << 8 | key[i] & 0xff;
        }
        return new Receipt(
                "approved",
                amount,
                currency,
                merchant,
                HexFormat.of().formatHex(key, 0, REFERENCE_BYTES),
                records.get((int) (index % records.size())));
    }

    private static byte[] sha256(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return digest.digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException absent) {
            throw new AssertionError("every Java platform has SHA-256", absent);
        }
    }
}
