package concurrency;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;
import runfair.SplitMix64;

/** The benchmark concurrency/timer-lateness (contract.md beside this folder). */
public class TimerLateness implements Harness.Program {
    private static final class Counts {
        private long rounds;
        private long burners;
    }

    private final Counts counts = new Counts();
    private long seed;
    private int burners;
    private long rounds;
    private long periodNs;
    private Recorder lateness;
    private long[] answer;

    /** The exclusive or of so many numbers. */
    private static long burn(SplitMix64 random, long rounds, Counts counts) {
        counts.burners++; // tick
        long x = 0;
        for (long round = 0; round < rounds; round++) {
            x ^= random.next();
            counts.rounds++; // tick
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
        burners = (int) options.number("burners");
        rounds = options.number("rounds");
        periodNs = options.number("period_us") * 1000;
        lateness = options.recorder("lateness");
    }

    @Override
    public void prepare() {
        answer = new long[burners];
    }

    @Override
    public void run() {
        var burning = new CountDownLatch(burners);
        var counted = new Counts[burners];
        var ticker = start(new Ticker(periodNs, lateness, burning));
        for (int i = 0; i < burners; i++) {
            int burner = i;
            counted[burner] = new Counts();
            start(() -> {
                answer[burner] = burn(new SplitMix64(seed + burner), rounds, counted[burner]);
                burning.countDown();
            });
        }
        try {
            burning.await();
            ticker.join();
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
        for (var own : counted) {
            counts.rounds += own.rounds;
            counts.burners += own.burners;
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
        return Map.of("rounds", counts.rounds, "burners", counts.burners);
    }

    public static void main(String[] arguments) {
        Harness.main("timer-lateness", "standard", new TimerLateness(), arguments);
    }
}
