package concurrency;

import java.util.HexFormat;
import runfair.Fnv1a;

/** The digest of the benchmarks of this suite whose answer is 64-bit numbers. */
final class Digest {
    private Digest() {}

    /** The hash of numbers, a line of 16 hexadecimal digits each. */
    static long ofLines(long... numbers) {
        var hash = new Fnv1a();
        for (long number : numbers) {
            hash.add(HexFormat.of().toHexDigits(number));
            hash.add((byte) '\n');
        }
        return hash.value();
    }
}
