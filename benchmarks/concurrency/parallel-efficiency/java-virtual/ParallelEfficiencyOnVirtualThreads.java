package concurrency;

import runfair.Harness;
import runfair.Options;

/** A virtual thread for each task. */
public final class ParallelEfficiencyOnVirtualThreads extends ParallelEfficiency {
    @Override
    public void load(Options options) {
        threads = VirtualThreads.factory(options);
        super.load(options);
    }

    public static void main(String[] arguments) {
        Harness.main("parallel-efficiency", "virtual", new ParallelEfficiencyOnVirtualThreads(),
                arguments);
    }
}
