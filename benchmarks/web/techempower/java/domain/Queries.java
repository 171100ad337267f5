package techempower;

import java.math.BigInteger;

/** The number of queries that a request asks for. */
final class Queries {
    private static final BigInteger MOST = BigInteger.valueOf(500);

    private Queries() {}

    /** What a text means as a number of queries; null where the request has none. */
    static int count(String text) {
        if (text == null) {
            return 1;
        }
        try {
            return new BigInteger(text).min(MOST).max(BigInteger.ONE).intValue();
        } catch (NumberFormatException noNumber) {
            return 1;
        }
    }
}
