package concurrency;

import runfair.Harness;
import runfair.Options;

/** Pieces and workers on virtual threads. */
public final class CancellationOnVirtualThreads extends Cancellation {
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
        Harness.main("cancellation", "virtual", new CancellationOnVirtualThreads(),
                arguments);
    }
}
