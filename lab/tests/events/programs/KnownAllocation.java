/** Allocates 512 MiB in arrays of 1,024 bytes, between two monotonic readings that it prints. */
public final class KnownAllocation {
    private static final int ARRAYS = 512 * 1024;
    private static final int HEADER_BYTES = 16;

    private static Object last;

    public static void main(String[] arguments) {
        long before = System.nanoTime();
        for (int i = 0; i < ARRAYS; i++) {
            last = new byte[1024 - HEADER_BYTES];
        }
        long after = System.nanoTime();
        System.out.println("{\"before_ns\":" + before + ",\"after_ns\":" + after + "}");
    }
}
