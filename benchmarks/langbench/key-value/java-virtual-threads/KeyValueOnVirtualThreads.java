package langbench.keyvalue;

import java.util.concurrent.ThreadFactory;

/** The server of keys and values, each connection on a virtual thread. */
public final class KeyValueOnVirtualThreads {

    private KeyValueOnVirtualThreads() {}

    public static void main(String[] arguments) {
        KeyValue.serve(
                "virtual-threads",
                options -> {
                    // Read when the first virtual thread starts.
                    System.setProperty("jdk.virtualThreadScheduler.parallelism",
                            options.text("threads"));
                    return virtualThreads();
                },
                arguments);
    }

    /**
     * {@code Thread.ofVirtual().factory()}, of which the class library that all programs are
     * compiled against knows nothing.
     */
    private static ThreadFactory virtualThreads() {
        try {
            var builder = Thread.class.getMethod("ofVirtual").invoke(null);
            var factory = Class.forName("java.lang.Thread$Builder").getMethod("factory");
            return (ThreadFactory) factory.invoke(builder);
        } catch (ReflectiveOperationException older) {
            throw new IllegalStateException("virtual threads need Java 21", older);
        }
    }
}
