package concurrency;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;
import runfair.SplitMix64;

/** The benchmark concurrency/memory-per-task (contract.md beside this folder). */
public class MemoryPerTask implements Harness.Program {
    private static final class Counts {
        private long tasks;
    }

    /** Makes the thread of a task. */
    ThreadFactory threads = Threads::daemon;

    private final Counts counts = new Counts();
    private long seed;
    private int tasks;
    private Recorder bytes;
    private long sum;

    @Override
    public long threads(Options options) {
        return options.number("threads");
    }

    @Override
    public void load(Options options) {
        seed = options.number("seed");
        tasks = (int) options.number("tasks");
        bytes = options.recorder("bytes");
    }

    @Override
    public void prepare() {
        sum = 0;
    }

    @Override
    public void run() {
        var beginning = new CountDownLatch(tasks);
        var gate = new CountDownLatch(1);
        long before = residentBytes();
        var running = new Thread[tasks];
        for (int i = 0; i < tasks; i++) {
            long state = seed + i;
            running[i] = threads.newThread(() -> task(state, beginning, gate));
            running[i].start();
        }
        try {
            beginning.await();
            long after = residentBytes();
            gate.countDown();
            for (var thread : running) {
                thread.join();
            }
            bytes.record((after - before) / tasks);
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private void task(long state, CountDownLatch beginning, CountDownLatch gate) {
        try {
            long x = new SplitMix64(state).next();
            beginning.countDown();
            gate.await();
            add(x);
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private synchronized void add(long x) {
        sum += x;
        counts.tasks++; // tick
    }

    /** The memory of the process that is in RAM. */
    private static long residentBytes() {
        try {
            for (var line : Files.readAllLines(Path.of("/proc/self/smaps_rollup"))) {
                if (line.startsWith("Rss:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
                }
            }
            throw new IllegalStateException("no Rss");
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    @Override
    public long digest() {
        return Digest.ofLines(sum);
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("tasks", counts.tasks);
    }

    public static void main(String[] arguments) {
        Harness.main("memory-per-task", "standard", new MemoryPerTask(), arguments);
    }
}
