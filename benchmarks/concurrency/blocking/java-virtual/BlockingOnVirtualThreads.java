package concurrency;

import runfair.Harness;
import runfair.Options;

/** Virtual threads that block their carriers, before Java 24. */
public final class BlockingOnVirtualThreads extends Blocking {
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
    void block(long pauseMs) throws InterruptedException {
        synchronized (new Object()) {
            Thread.sleep(pauseMs);
        }
    }

    public static void main(String[] arguments) {
        Harness.main("blocking", "virtual", new BlockingOnVirtualThreads(), arguments);
    }
}
