package concurrency;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import runfair.Options;

/** Virtual threads, for the benchmarks of this suite. */
final class VirtualThreads {
    private VirtualThreads() {}

    /**
     * {@code Thread.ofVirtual().factory()}, of which the class library that all programs are
     * compiled against knows nothing.
     */
    static ThreadFactory factory() {
        try {
            var builder = Thread.class.getMethod("ofVirtual").invoke(null);
            var factory = Class.forName("java.lang.Thread$Builder").getMethod("factory");
            return (ThreadFactory) factory.invoke(builder);
        } catch (ReflectiveOperationException older) {
            throw new IllegalStateException("virtual threads need Java 21", older);
        }
    }

    /**
     * Asks for as many carriers as the option {@code threads}, before the first virtual thread
     * starts, and returns the parallelism of the pool that a virtual thread really runs on.
     */
    static long carriers(Options options) {
        var carriers = options.text("threads");
        System.setProperty("jdk.virtualThreadScheduler.parallelism", carriers);
        System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", carriers);
        var parallelism = new FutureTask<>(VirtualThreads::parallelism);
        factory().newThread(parallelism).start();
        try {
            return parallelism.get();
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Of the pool of the carriers, one of which runs this virtual thread. */
    private static int parallelism() {
        var group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        var running = new Thread[1000];
        group.enumerate(running);
        for (var thread : running) {
            if (thread instanceof ForkJoinWorkerThread carrier) {
                return carrier.getPool().getParallelism();
            }
        }
        throw new IllegalStateException("virtual threads run on no ForkJoinPool");
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
