package concurrency;

import java.util.Map;
import java.util.concurrent.ThreadFactory;
import runfair.Harness;
import runfair.Options;
import runfair.SplitMix64;

/** The benchmark concurrency/parallel-efficiency (contract.md beside this folder). */
public class ParallelEfficiency implements Harness.Program {
    private static final class Counts {
        private long rounds;
        private long tasks;
    }

    /** Makes the thread of a task. */
    ThreadFactory threads = Threads::daemon;

    private final Counts counts = new Counts();
    private long seed;
    private int tasks;
    private long rounds;
    private long[] answer;

    /** The exclusive or of so many numbers. */
    private static long compute(SplitMix64 random, long rounds, Counts counts) {
        counts.tasks++; // tick
        long x = 0;
        for (long round = 0; round < rounds; round++) {
            counts.rounds++; // tick
            x ^= random.next();
        }
        return x;
    }

    @Override
    public long threads(Options options) {
        return options.number("threads");
    }

    @Override
    public void load(Options options) {
        seed = options.number("seed");
        tasks = (int) options.number("tasks");
        rounds = options.number("rounds");
    }

    @Override
    public void prepare() {
        answer = new long[tasks];
    }

    @Override
    public void run() {
        var running = new Thread[tasks];
        var counted = new Counts[tasks];
        for (int i = 0; i < tasks; i++) {
            int task = i;
            counted[task] = new Counts();
            running[task] = threads.newThread(() ->
                    answer[task] = compute(new SplitMix64(seed + task), rounds, counted[task]));
            running[task].start();
        }
        try {
            for (var thread : running) {
                thread.join();
            }
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
        for (var own : counted) {
            counts.rounds += own.rounds;
            counts.tasks += own.tasks;
        }
    }

    @Override
    public long digest() {
        return Digest.ofLines(answer);
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("rounds", counts.rounds, "tasks", counts.tasks);
    }

    public static void main(String[] arguments) {
        Harness.main("parallel-efficiency", "standard", new ParallelEfficiency(), arguments);
    }
}
