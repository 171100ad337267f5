package concurrency;

import runfair.Harness;
import runfair.Options;

/** Pieces, workers, and the task that starts them, on virtual threads. */
public final class SpawnOrWorkerOnVirtualThreads extends SpawnOrWorker {
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
        Harness.main("spawn-or-worker", "virtual", new SpawnOrWorkerOnVirtualThreads(),
                arguments);
    }
}
