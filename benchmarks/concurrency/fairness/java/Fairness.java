package concurrency;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;
import runfair.SplitMix64;

/** The benchmark concurrency/fairness (contract.md beside this folder). */
public class Fairness implements Harness.Program {
    private static final class Counts {
        private long tasks;
        private long turns;
    }

    /** What a task has done. */
    private static final class Share {
        private final Counts counts = new Counts();
        private long sum;
        private long turns;
    }

    /** Makes the thread of a task. */
    ThreadFactory threads = Threads::daemon;

    private final Counts counts = new Counts();
    private long seed;
    private int tasks;
    private long turns;
    private long turnNs;
    private Recorder index;
    private AtomicLong supply;
    private Share[] shares;

    @Override
    public long threads(Options options) {
        return options.number("threads");
    }

    @Override
    public void load(Options options) {
        seed = options.number("seed");
        tasks = (int) options.number("tasks");
        turns = options.number("turns");
        turnNs = options.number("turn_us") * 1000;
        index = options.recorder("index");
    }

    @Override
    public void prepare() {
        supply = new AtomicLong();
        shares = new Share[tasks];
    }

    @Override
    public void run() {
        var beginning = new CountDownLatch(tasks);
        var gate = new CountDownLatch(1);
        var running = new Thread[tasks];
        for (int i = 0; i < tasks; i++) {
            int number = i;
            running[i] = threads.newThread(() -> {
                var own = new Share();
                shares[number] = own;
                beginning.countDown();
                await(gate);
                spin(number, own);
            });
            running[i].start();
        }
        await(beginning);
        gate.countDown();
        try {
            for (var thread : running) {
                thread.join();
            }
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
        index.record(jain());
        for (var share : shares) {
            counts.tasks += share.counts.tasks;
            counts.turns += share.counts.turns;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    /** Takes turns until there is none left. */
    private void spin(int i, Share own) {
        own.sum = new SplitMix64(seed + i).next();
        own.counts.tasks++; // tick
        for (long k = supply.getAndIncrement(); k < turns; k = supply.getAndIncrement()) {
            long beganNs = System.nanoTime();
            long y = new SplitMix64(seed + tasks + k).next();
            own.counts.turns++; // tick
            while (System.nanoTime() - beganNs < turnNs) {
                // a turn takes its time
            }
            own.sum += y;
            own.turns++;
        }
    }

    /** Jain's index of the turns, in thousandths. */
    private long jain() {
        double sum = 0;
        double squares = 0;
        for (var share : shares) {
            sum += share.turns;
            squares += (double) share.turns * share.turns;
        }
        return (long) (1000 * sum * sum / (tasks * squares));
    }

    @Override
    public long digest() {
        long sum = 0;
        for (var share : shares) {
            sum += share.sum;
        }
        return Digest.ofLines(sum);
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("tasks", counts.tasks, "turns", counts.turns);
    }

    public static void main(String[] arguments) {
        Harness.main("fairness", "standard", new Fairness(), arguments);
    }
}
