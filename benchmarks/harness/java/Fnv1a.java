package runfair;

import java.nio.charset.StandardCharsets;

/** The 64-bit FNV-1a hash of an answer (draft-eastlake-fnv). */
public final class Fnv1a {
    private static final long OFFSET_BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private long hash = OFFSET_BASIS;

    public void add(byte b) {
        hash = (hash ^ (b & 0xff)) * PRIME;
    }

    /**
     * Adds the text in UTF-8. ASCII is added as it stands: a digest should leave no garbage for the
     * next iteration to collect.
     */
    public void add(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                for (byte b : text.substring(i).getBytes(StandardCharsets.UTF_8)) {
                    add(b);
                }
                return;
            }
            add((byte) c);
        }
    }

    public long value() {
        return hash;
    }

    /** 16 lower-case digits. */
    static String hexadecimal(long hash) {
        var digits = new char[16];
        for (int i = 0; i < digits.length; i++) {
            digits[i] = Character.forDigit((int) (hash >>> (60 - 4 * i)) & 0xf, 16);
        }
        return new String(digits);
    }
}
