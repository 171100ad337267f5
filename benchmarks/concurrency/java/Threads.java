package concurrency;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Platform threads, for the benchmarks of this suite. */
final class Threads {
    private Threads() {}

    /** A new thread, which does not outlive a failure to start another. */
    static Thread daemon(Runnable task) {
        var thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    /** Waits until all threads are at the barrier. */
    static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }
}
