package concurrency;

import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;
import runfair.SplitMix64;

/** The benchmark concurrency/contended-lock (contract.md beside this folder). */
public class ContendedLock implements Harness.Program {
    private static final class Counts {
        private long locks;
    }

    /** Makes the thread of a task. */
    ThreadFactory threads = Threads::daemon;

    private final Counts counts = new Counts();
    private final ReentrantLock lock = new ReentrantLock();
    private long seed;
    private int tasks;
    private long rounds;
    private boolean held;
    private Recorder wait;
    private Recorder locks;
    /** Protected by the lock, as the sum. */
    private SplitMix64 shared;
    private long sum;
    /** Taken by the last task that begins. */
    private long startedNs;

    @Override
    public long threads(Options options) {
        return options.number("threads");
    }

    @Override
    public void load(Options options) {
        seed = options.number("seed");
        tasks = (int) options.number("tasks");
        rounds = options.number("rounds");
        held = options.text("workload").equals("held");
        wait = options.recorder("wait");
        locks = options.recorder("locks");
    }

    @Override
    public void prepare() {
        shared = new SplitMix64(seed);
        sum = 0;
    }

    @Override
    public void run() {
        var beginning = new CyclicBarrier(tasks, () -> startedNs = System.nanoTime());
        var running = new Thread[tasks];
        for (int i = 0; i < tasks; i++) {
            var own = new SplitMix64(seed + 1 + i);
            running[i] = threads.newThread(() -> task(own, beginning));
            running[i].start();
        }
        try {
            for (var thread : running) {
                thread.join();
            }
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
        locks.record((System.nanoTime() - startedNs) * 1000 / (tasks * rounds));
    }

    private void task(SplitMix64 own, CyclicBarrier beginning) {
        Threads.await(beginning);
        for (long round = 0; round < rounds; round++) {
            long askedNs = System.nanoTime();
            lock.lock();
            long nowNs = System.nanoTime();
            sum += shared.next() + own.next();
            counts.locks++; // tick
            if (held) {
                Thread.yield();
            }
            lock.unlock();
            wait.record(nowNs - askedNs);
        }
    }

    @Override
    public long digest() {
        return Digest.ofLines(sum);
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("locks", counts.locks);
    }

    public static void main(String[] arguments) {
        Harness.main("contended-lock", "standard", new ContendedLock(), arguments);
    }
}
