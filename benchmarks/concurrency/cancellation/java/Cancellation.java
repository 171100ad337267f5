package concurrency;

import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;
import runfair.SplitMix64;

/** The benchmark concurrency/cancellation (contract.md beside this folder). */
public class Cancellation implements Harness.Program {
    private static final class Counts {
        private long tasks;
    }

    /** Makes the thread of a task. */
    ThreadFactory threads = Threads::daemon;

    private final Counts counts = new Counts();
    private long seed;
    private int degree;
    private int depth;
    private int tasks;
    private Recorder latency;
    private CountDownLatch beginning;
    private volatile long cancelledNs;
    private long sum;

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
        latency = options.recorder("latency");
        Thread.setDefaultUncaughtExceptionHandler(Cancellation::fail);
    }

    /** Ends the program, which would wait for ever for a task that could not be started. */
    private static void fail(Thread task, Throwable failure) {
        System.err.print("Exception in thread \"" + task.getName() + "\" ");
        failure.printStackTrace();
        Runtime.getRuntime().halt(1);
    }

    @Override
    public void prepare() {
        sum = 0;
        beginning = new CountDownLatch(tasks);
    }

    @Override
    public void run() {
        var root = start(0, depth);
        try {
            beginning.await();
            cancelledNs = System.nanoTime();
            root.interrupt();
            root.join();
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private Thread start(long i, int levels) {
        var thread = threads.newThread(() -> task(i, levels));
        thread.start();
        return thread;
    }

    private void task(long i, int levels) {
        var children = new ArrayList<Thread>();
        for (int n = 1; levels > 0 && n <= degree; n++) {
            children.add(start(i * degree + n, levels - 1));
        }
        beginning.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException cancelled) {
            latency.record(System.nanoTime() - cancelledNs);
            add(new SplitMix64(seed + i).next());
            for (var child : children) {
                child.interrupt();
            }
        }
        try {
            for (var child : children) {
                child.join();
            }
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private synchronized void add(long x) {
        sum += x;
        counts.tasks++; // tick
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
        Harness.main("cancellation", "standard", new Cancellation(), arguments);
    }
}
