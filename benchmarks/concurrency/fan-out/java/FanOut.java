package concurrency;

import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;
import runfair.SplitMix64;

/** The benchmark concurrency/fan-out (contract.md beside this folder). */
public class FanOut implements Harness.Program {
    /** What a task leaves: its sum, and the tasks that were counted below it. */
    private static final class Subtree {
        private long sum;
        private long tasks;
    }

    /** Makes the thread of a task. */
    ThreadFactory threads = Threads::daemon;

    private long seed;
    private int degree;
    private int depth;
    private long tasks;
    private Recorder recorder;
    private long sum;
    private long counted;

    @Override
    public long threads(Options options) {
        return options.number("threads");
    }

    @Override
    public void load(Options options) {
        seed = options.number("seed");
        degree = (int) options.number("degree");
        depth = (int) options.number("depth");
        tasks = 1;
        for (int level = 0; level < depth; level++) {
            tasks = tasks * degree + 1;
        }
        recorder = options.recorder("tasks");
    }

    @Override
    public void prepare() {}

    @Override
    public void run() {
        try {
            long startedNs = System.nanoTime();
            var tree = start(0, depth).get();
            recorder.record((System.nanoTime() - startedNs) * 1000 / tasks);
            sum = tree.sum;
            counted += tree.tasks;
        } catch (ExecutionException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private FutureTask<Subtree> start(long i, int levels) {
        var task = new FutureTask<>(() -> grow(i, levels));
        threads.newThread(task).start();
        return task;
    }

    /** Task i. */
    private Subtree grow(long i, int levels) throws ExecutionException, InterruptedException {
        var tree = new Subtree();
        tree.sum = new SplitMix64(seed + i).next();
        tree.tasks++; // tick
        if (levels > 0) {
            var children = new ArrayList<FutureTask<Subtree>>(degree);
            for (int n = 1; n <= degree; n++) {
                children.add(start(i * degree + n, levels - 1));
            }
            for (var child : children) {
                var below = child.get();
                tree.sum += below.sum;
                tree.tasks += below.tasks;
            }
        }
        return tree;
    }

    @Override
    public long digest() {
        return Digest.ofLines(sum);
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("tasks", counted);
    }

    public static void main(String[] arguments) {
        Harness.main("fan-out", "standard", new FanOut(), arguments);
    }
}
