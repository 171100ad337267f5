package concurrency;

/** Platform threads, for the benchmarks of this suite. */
final class Threads {
    private Threads() {}

    /** A new thread, which does not outlive a failure to start another. */
    static Thread daemon(Runnable task) {
        var thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }
}
