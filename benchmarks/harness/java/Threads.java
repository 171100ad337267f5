package runfair;

/** Threads for the tasks of a program. */
public final class Threads {
    private Threads() {}

    /** A new thread, which does not outlive a failure to start another. */
    public static Thread daemon(Runnable task) {
        var thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }
}
