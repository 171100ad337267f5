package techempower;

import java.math.BigInteger;
import java.util.regex.Pattern;

/** The number of queries that a request asks for. */
final class Queries {
    private static final Pattern WHOLE_NUMBER = Pattern.compile("-?[0-9]+");
    private static final BigInteger MOST = BigInteger.valueOf(500);

    private Queries() {}

    /** What a text means as a number of queries; null where the request has none. */
    static int count(String text) {
        if (text == null || !WHOLE_NUMBER.matcher(text).matches()) {
            return 1;
        }
        return new BigInteger(text).min(MOST).max(BigInteger.ONE).intValue();
    }
}
