package concurrency;

import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;

/** The benchmark concurrency/pipeline (contract.md beside this folder). */
public class Pipeline implements Harness.Program {
    private static final class Counts {
        private long hops;
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    /** Makes the thread of a task. */
    ThreadFactory threads = Threads::daemon;

    private final Counts counts = new Counts();
    private int seed;
    private int stages;
    private int values;
    private int capacity;
    private String workload;
    private Recorder hops;
    /** When the source begins to send; read by the source. */
    private long startedNs;
    private int sum;

    @Override
    public long threads(Options options) {
        return options.number("threads");
    }

    @Override
    public void load(Options options) {
        seed = (int) options.number("seed");
        stages = (int) options.number("stages");
        values = (int) options.number("values");
        capacity = (int) options.number("capacity");
        workload = options.text("workload");
        hops = options.recorder("hops");
    }

    @Override
    public void prepare() {}

    private BlockingQueue<Integer> channel() {
        return switch (workload) {
            case "rendezvous" -> new SynchronousQueue<>();
            case "bounded" -> new ArrayBlockingQueue<>(capacity);
            default -> new LinkedBlockingQueue<>();
        };
    }

    @Override
    public void run() {
        try {
            var counted = new Counts[stages + 1];
            var beginning = new CountDownLatch(stages + 1); // of the stages and the sink
            var running = new Thread[stages + 1];
            var channel = channel();
            var first = channel;
            running[0] = start(() -> {
                beginning.await();
                startedNs = System.nanoTime();
                for (int k = 0; k < values; k++) {
                    first.put(seed + k);
                }
            });
            for (int s = 1; s <= stages; s++) {
                int number = s;
                var from = channel;
                var to = channel();
                counted[s] = new Counts();
                running[s] = start(() -> {
                    beginning.countDown();
                    stage(number, from, to, counted[number]);
                });
                channel = to;
            }
            counted[0] = new Counts();
            beginning.countDown();
            sum = sink(channel, counted[0]);
            long endedNs = System.nanoTime();
            for (var thread : running) {
                thread.join();
            }
            hops.record((endedNs - startedNs) * 1000 / ((long) values * (stages + 1)));
            for (var own : counted) {
                counts.hops += own.hops;
            }
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private void stage(
            int number, BlockingQueue<Integer> from, BlockingQueue<Integer> to, Counts counts)
            throws InterruptedException {
        for (int k = 0; k < values; k++) {
            int x = from.take();
            counts.hops++; // tick
            to.put(x * 1664525 + number);
        }
    }

    private int sink(BlockingQueue<Integer> from, Counts counts) throws InterruptedException {
        int total = 0;
        for (int k = 0; k < values; k++) {
            total = total * 31 + from.take();
            counts.hops++; // tick
        }
        return total;
    }

    private Thread start(Step step) {
        var thread = threads.newThread(() -> {
            try {
                step.run();
            } catch (InterruptedException nobodyDoes) {
                throw new IllegalStateException(nobodyDoes);
            }
        });
        thread.start();
        return thread;
    }

    @Override
    public long digest() {
        var hash = new Fnv1a();
        hash.add(HexFormat.of().toHexDigits(sum));
        hash.add((byte) '\n');
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("hops", counts.hops);
    }

    public static void main(String[] arguments) {
        Harness.main("pipeline", "standard", new Pipeline(), arguments);
    }
}
