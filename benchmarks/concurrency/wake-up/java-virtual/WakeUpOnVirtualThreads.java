package concurrency;

import runfair.Harness;
import runfair.Options;

/** Pieces and workers on virtual threads. */
public final class WakeUpOnVirtualThreads extends WakeUp {
    @Override
    public long threads(Options options) {
        return VirtualThreads.carriers(options);
    }

    @Override
    public void load(Options options) {
        threads = VirtualThreads.factory();
        super.load(options);
    }

    public static void main(String[] arguments) {
        Harness.main("wake-up", "virtual", new WakeUpOnVirtualThreads(),
                arguments);
    }
}
