package concurrency;

import runfair.Harness;
import runfair.Options;

/** A tree of virtual threads, and the task that starts it, which is one too. */
public final class FanOutOnVirtualThreads extends FanOut {
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
    public void run() {
        VirtualThreads.run(threads, super::run);
    }

    public static void main(String[] arguments) {
        Harness.main("fan-out", "virtual", new FanOutOnVirtualThreads(),
                arguments);
    }
}
