/** Induces collections, each between two monotonic readings that it prints. */
public final class InducedCollections {
    private static final int COLLECTIONS = 5;
    private static final int OBJECTS = 200_000;

    public static void main(String[] arguments) throws InterruptedException {
        Object[] kept = new Object[OBJECTS];
        for (int i = 0; i < OBJECTS; i++) {
            kept[i] = new int[] {i};
        }
        for (int i = 0; i < COLLECTIONS; i++) {
            Thread.sleep(30);
            long before = System.nanoTime();
            System.gc();
            long after = System.nanoTime();
            System.out.println("{\"before_ns\":" + before + ",\"after_ns\":" + after + "}");
        }
        Thread.sleep(30);
        if (kept[OBJECTS - 1] == null) {
            throw new AssertionError("what is kept stays");
        }
    }
}
