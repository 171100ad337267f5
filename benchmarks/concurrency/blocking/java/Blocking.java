package concurrency;

import java.util.Map;
import java.util.concurrent.ThreadFactory;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;
import runfair.SplitMix64;

/** The benchmark concurrency/blocking (contract.md beside this folder). */
public class Blocking implements Harness.Program {
    private static final class Counts {
        private long calls;
    }

    /** Makes the thread of a task. */
    ThreadFactory threads = Threads::daemon;

    private final Counts counts = new Counts();
    private long seed;
    private int tasks;
    private long pauseMs;
    private Recorder lateness;
    private long sum;

    @Override
    public long threads(Options options) {
        return options.number("threads");
    }

    @Override
    public void load(Options options) {
        seed = options.number("seed");
        tasks = (int) options.number("tasks");
        pauseMs = options.number("pause_ms");
        lateness = options.recorder("lateness");
    }

    @Override
    public void prepare() {
        sum = 0;
    }

    @Override
    public void run() {
        long endNs = System.nanoTime() + pauseMs * 1_000_000;
        var running = new Thread[tasks];
        for (int i = 0; i < tasks; i++) {
            long state = seed + i;
            running[i] = threads.newThread(() -> task(state, endNs));
            running[i].start();
        }
        try {
            for (var thread : running) {
                thread.join();
            }
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private void task(long state, long endNs) {
        try {
            block(pauseMs);
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
        lateness.record(System.nanoTime() - endNs);
        add(new SplitMix64(state).next());
    }

    void block(long pauseMs) throws InterruptedException {
        Thread.sleep(pauseMs);
    }

    private synchronized void add(long x) {
        sum += x;
        counts.calls++; // tick
    }

    @Override
    public long digest() {
        return Digest.ofLines(sum);
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("calls", counts.calls);
    }

    public static void main(String[] arguments) {
        Harness.main("blocking", "standard", new Blocking(), arguments);
    }
}
