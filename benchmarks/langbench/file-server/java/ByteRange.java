package langbench.fileserver;

import java.util.Optional;

/** A range of bytes of a file (RFC 9110, section 14). */
record ByteRange(long first, long count) {
    private static final String UNIT = "bytes=";
    private static final long BEYOND_ANY_FILE = 1_000_000_000_000_000L;

    /** That of the value of a field, which may be null; none is the whole file. */
    static Optional<ByteRange> requested(String value, long size) throws Failure {
        if (value == null || size == 0 || !value.startsWith(UNIT)) {
            return Optional.empty();
        }
        int dash = value.indexOf('-');
        if (dash < 0) {
            return Optional.empty();
        }
        var from = value.substring(UNIT.length(), dash);
        var to = value.substring(dash + 1);
        if (from.isEmpty()) {
            if (!Request.isDecimal(to)) {
                return Optional.empty();
            }
            long count = Math.min(number(to), size);
            if (count == 0) {
                throw unsatisfiable(size);
            }
            return Optional.of(new ByteRange(size - count, count));
        }
        if (!Request.isDecimal(from) || !(to.isEmpty() || Request.isDecimal(to))) {
            return Optional.empty();
        }
        long first = number(from);
        long last = to.isEmpty() ? size - 1 : number(to);
        if (!to.isEmpty() && last < first) {
            return Optional.empty();
        }
        if (first >= size) {
            throw unsatisfiable(size);
        }
        return Optional.of(new ByteRange(first, Math.min(last, size - 1) - first + 1));
    }

    private static Failure unsatisfiable(long size) {
        return new Failure(416, "Content-Range: bytes */" + size);
    }

    private static long number(String digits) {
        return digits.length() <= Request.LONGEST_LENGTH ? Long.parseLong(digits) : BEYOND_ANY_FILE;
    }
}
