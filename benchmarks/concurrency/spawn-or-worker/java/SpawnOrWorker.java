package concurrency;

import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;
import runfair.SplitMix64;

/** The benchmark concurrency/spawn-or-worker (contract.md beside this folder). */
public class SpawnOrWorker implements Harness.Program {
    /** Of what is sent to a worker. */
    private static final int END = -1;

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
    /** Tasks that are started, or pieces that the channel holds. */
    private int atOnce;
    private int workers;
    private boolean spawning;
    private Recorder recorder;
    private long[] answer;
    private Counts[] counted;

    /** The seed and so many numbers of the generator, by exclusive or. */
    private static long compute(long seed, long rounds, Counts counts) {
        counts.tasks++; // tick
        var random = new SplitMix64(seed);
        long x = seed;
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
        atOnce = (int) options.number("at_once");
        workers = (int) options.number("threads");
        spawning = options.text("workload").equals("spawn");
        recorder = options.recorder("tasks");
    }

    @Override
    public void prepare() {
        answer = new long[tasks];
        counted = new Counts[tasks];
        for (int i = 0; i < tasks; i++) {
            counted[i] = new Counts();
        }
    }

    @Override
    public void run() {
        long startedNs = System.nanoTime();
        try {
            if (spawning) {
                spawn();
            } else {
                work();
            }
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
        recorder.record((System.nanoTime() - startedNs) * 1000 / tasks);
        for (var own : counted) {
            counts.rounds += own.rounds;
            counts.tasks += own.tasks;
        }
    }

    private void perform(int i) {
        answer[i] = compute(seed + i, rounds, counted[i]);
    }

    private void spawn() throws InterruptedException {
        for (int first = 0; first < tasks; first += atOnce) {
            var running = new Thread[Math.min(atOnce, tasks - first)];
            for (int n = 0; n < running.length; n++) {
                int i = first + n;
                running[n] = threads.newThread(() -> perform(i));
                running[n].start();
            }
            for (var thread : running) {
                thread.join();
            }
        }
    }

    private void work() throws InterruptedException {
        var channel = new ArrayBlockingQueue<Integer>(atOnce);
        var running = new Thread[workers];
        for (int worker = 0; worker < workers; worker++) {
            running[worker] = threads.newThread(() -> receive(channel));
            running[worker].start();
        }
        for (int i = 0; i < tasks; i++) {
            channel.put(i);
        }
        for (int worker = 0; worker < workers; worker++) {
            channel.put(END);
        }
        for (var thread : running) {
            thread.join();
        }
    }

    /** What a worker does. */
    private void receive(BlockingQueue<Integer> channel) {
        try {
            for (int i = channel.take(); i != END; i = channel.take()) {
                perform(i);
            }
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
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
        Harness.main("spawn-or-worker", "standard", new SpawnOrWorker(), arguments);
    }
}
