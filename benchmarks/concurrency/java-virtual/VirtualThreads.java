package concurrency;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import runfair.Options;

/** Virtual threads, for the benchmarks of this suite. */
final class VirtualThreads {
    private VirtualThreads() {}

    /**
     * {@code Thread.ofVirtual().factory()}, of which the class library that all programs are
     * compiled against knows nothing. They run on as many carriers as the option {@code threads}.
     */
    static ThreadFactory factory(Options options) {
        // Read when the first virtual thread starts.
        var carriers = options.text("threads");
        System.setProperty("jdk.virtualThreadScheduler.parallelism", carriers);
        System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", carriers);
        try {
            var builder = Thread.class.getMethod("ofVirtual").invoke(null);
            var factory = Class.forName("java.lang.Thread$Builder").getMethod("factory");
            return (ThreadFactory) factory.invoke(builder);
        } catch (ReflectiveOperationException older) {
            throw new IllegalStateException("virtual threads need Java 21", older);
        }
    }

    /** Runs a task in a thread of its own, and fails if the task fails. */
    static void run(ThreadFactory threads, Runnable task) {
        var result = new FutureTask<Void>(task, null);
        threads.newThread(result).start();
        try {
            result.get();
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
