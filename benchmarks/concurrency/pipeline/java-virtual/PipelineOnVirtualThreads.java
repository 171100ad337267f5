package concurrency;

import runfair.Harness;
import runfair.Options;

/** Source, stages and sink on virtual threads. */
public final class PipelineOnVirtualThreads extends Pipeline {
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
        Harness.main("pipeline", "virtual", new PipelineOnVirtualThreads(), arguments);
    }
}
