package concurrency;

import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;

/** The benchmark concurrency/wake-up (contract.md beside this folder). */
public class WakeUp implements Harness.Program {
    private static final class Counts {
        private long wakes;
    }

    /** Makes the thread of a task. */
    ThreadFactory threads = Threads::daemon;

    private final Counts counts = new Counts();
    private int seed;
    private int tasks;
    private int rounds;
    private Recorder latency;
    private Semaphore[] bells;
    private int x;
    /** As x, it belongs to the task that was woken last. */
    private long sinceNs;

    @Override
    public long threads(Options options) {
        return options.number("threads");
    }

    @Override
    public void load(Options options) {
        seed = (int) options.number("seed");
        tasks = (int) options.number("tasks");
        rounds = (int) options.number("rounds");
        latency = options.recorder("latency");
    }

    @Override
    public void prepare() {
        x = seed;
    }

    @Override
    public void run() {
        bells = new Semaphore[tasks];
        for (int i = 0; i < tasks; i++) {
            bells[i] = new Semaphore(0);
        }
        var beginning = new CountDownLatch(tasks);
        var running = new Thread[tasks];
        for (int i = 0; i < tasks; i++) {
            int number = i;
            running[i] = threads.newThread(() -> {
                beginning.countDown();
                task(number);
            });
            running[i].start();
        }
        try {
            beginning.await();
            wake(0);
            for (var thread : running) {
                thread.join();
            }
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private void task(int i) {
        for (int round = 0; round < rounds; round++) {
            bells[i].acquireUninterruptibly();
            latency.record(System.nanoTime() - sinceNs);
            counts.wakes++; // tick
            x = x * 1664525 + i;
            if (i + 1 < tasks || round + 1 < rounds) {
                wake((i + 1) % tasks);
            }
        }
    }

    private void wake(int task) {
        sinceNs = System.nanoTime();
        bells[task].release();
    }

    @Override
    public long digest() {
        var hash = new Fnv1a();
        hash.add(HexFormat.of().toHexDigits(x));
        hash.add((byte) '\n');
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("wakes", counts.wakes);
    }

    public static void main(String[] arguments) {
        Harness.main("wake-up", "standard", new WakeUp(), arguments);
    }
}
