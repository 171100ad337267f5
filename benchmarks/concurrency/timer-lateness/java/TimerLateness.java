package concurrency;

import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;
import runfair.SplitMix64;

/** The benchmark concurrency/timer-lateness (contract.md beside this folder). */
public class TimerLateness implements Harness.Program {
    private static final class Counts {
        private long rounds;
        private long burners;
        private long yields;
        private long timers;

        void add(Counts other) {
            rounds += other.rounds;
            burners += other.burners;
            yields += other.yields;
            timers += other.timers;
        }
    }

    private final Counts counts = new Counts();
    private long seed;
    private int burners;
    private long rounds;
    /** Of a burner that never yields: all. */
    private long yieldRounds = Long.MAX_VALUE;
    /** Those that fire once; 0 if there is a ticker. */
    private int timers;
    private long periodNs;
    private Recorder lateness;
    private long[] answer;

    /** The exclusive or of the next numbers. */
    private static long draw(SplitMix64 random, long rounds, Counts counts) {
        long x = 0;
        for (long round = 0; round < rounds; round++) {
            x ^= random.next();
            counts.rounds++; // tick
        }
        return x;
    }

    /** The exclusive or of a burner's numbers. */
    private long burn(SplitMix64 random, Counts counts) {
        counts.burners++; // tick
        long x = 0;
        long left = rounds;
        for (; left >= yieldRounds; left -= yieldRounds) {
            x ^= draw(random, yieldRounds, counts);
            counts.yields++; // tick
            Thread.yield();
        }
        return x ^ draw(random, left, counts);
    }

    /** A timer that fires once. */
    private void fire(long dueNs, Counts counts) {
        long lateNs;
        do {
            LockSupport.parkNanos(dueNs - System.nanoTime());
            lateNs = System.nanoTime() - dueNs;
        } while (lateNs < 0);
        lateness.record(lateNs);
        counts.timers++; // tick
    }

    @Override
    public long threads(Options options) {
        return options.number("threads");
    }

    @Override
    public void load(Options options) {
        seed = options.number("seed");
        burners = (int) options.number("burners");
        rounds = options.number("rounds");
        periodNs = options.number("period_us") * 1000;
        lateness = options.recorder("lateness");
        switch (options.text("workload")) {
            case "yielding" -> yieldRounds = options.number("yield_rounds");
            case "one-shot" -> timers = (int) options.number("timers");
            default -> { }
        }
    }

    @Override
    public void prepare() {
        answer = new long[burners];
    }

    @Override
    public void run() {
        var burning = new CountDownLatch(burners);
        var counted = new Counts[burners + timers];
        var running = new ArrayList<Thread>();
        if (timers == 0) {
            running.add(start(new Ticker(periodNs, lateness, burning)));
        }
        for (int i = 0; i < burners; i++) {
            int burner = i;
            counted[burner] = new Counts();
            running.add(start(() -> {
                answer[burner] = burn(new SplitMix64(seed + burner), counted[burner]);
                burning.countDown();
            }));
        }
        for (int i = burners; i < burners + timers; i++) {
            var own = counted[i] = new Counts();
            long dueNs = System.nanoTime() + periodNs;
            running.add(start(() -> fire(dueNs, own)));
        }
        try {
            for (var thread : running) {
                thread.join();
            }
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
        for (var own : counted) {
            counts.add(own);
        }
    }

    /** A daemon does not outlive a failure to start another. */
    Thread start(Runnable task) {
        var thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public long digest() {
        return Digest.ofLines(answer);
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("rounds", counts.rounds, "burners", counts.burners,
                "yields", counts.yields, "timers", counts.timers);
    }

    public static void main(String[] arguments) {
        Harness.main("timer-lateness", "standard", new TimerLateness(), arguments);
    }
}
