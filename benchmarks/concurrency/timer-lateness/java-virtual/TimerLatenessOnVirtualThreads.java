package concurrency;

import runfair.Harness;
import runfair.Options;

/** The ticker and all burners on virtual threads. */
public final class TimerLatenessOnVirtualThreads extends TimerLateness {
    @Override
    public void load(Options options) {
        // Read when the first virtual thread starts.
        System.setProperty("jdk.virtualThreadScheduler.parallelism", options.text("threads"));
        super.load(options);
    }

    /**
     * {@code Thread.startVirtualThread(task)}, of which the class library that all programs are
     * compiled against knows nothing.
     */
    @Override
    Thread start(Runnable task) {
        try {
            var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            return (Thread) start.invoke(null, task);
        } catch (ReflectiveOperationException older) {
            throw new IllegalStateException("virtual threads need Java 21", older);
        }
    }

    public static void main(String[] arguments) {
        Harness.main("timer-lateness", "virtual", new TimerLatenessOnVirtualThreads(), arguments);
    }
}
