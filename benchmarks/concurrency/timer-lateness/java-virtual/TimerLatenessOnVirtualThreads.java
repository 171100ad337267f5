package concurrency;

import java.util.concurrent.ThreadFactory;
import runfair.Harness;
import runfair.Options;

/** The ticker and all burners on virtual threads. */
public final class TimerLatenessOnVirtualThreads extends TimerLateness {
    private ThreadFactory threads;

    @Override
    public long threads(Options options) {
        return VirtualThreads.carriers(options);
    }

    @Override
    public void load(Options options) {
        threads = VirtualThreads.factory();
        super.load(options);
    }

    @Override
    Thread start(Runnable task) {
        var thread = threads.newThread(task);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) {
        Harness.main("timer-lateness", "virtual", new TimerLatenessOnVirtualThreads(), arguments);
    }
}
