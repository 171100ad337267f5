package concurrency;

import runfair.Harness;
import runfair.Options;

/** A virtual thread for each task. */
public final class ParallelEfficiencyOnVirtualThreads extends ParallelEfficiency {
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
        Harness.main("parallel-efficiency", "virtual", new ParallelEfficiencyOnVirtualThreads(),
                arguments);
    }
}
