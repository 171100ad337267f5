package concurrency;

import runfair.Harness;
import runfair.Options;

/** Pieces and workers on virtual threads. */
public final class FairnessOnVirtualThreads extends Fairness {
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
        Harness.main("fairness", "virtual", new FairnessOnVirtualThreads(),
                arguments);
    }
}
