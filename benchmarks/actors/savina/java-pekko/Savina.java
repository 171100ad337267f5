package actors;

import com.typesafe.config.ConfigFactory;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinWorkerThread;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;

/** The benchmarks actors/savina (contract.md beside this folder); the form says which one. */
public final class Savina implements Harness.Program {
    /** Starts the actors of one iteration; the number of actors, all of which end. */
    interface Benchmark {
        int start(Stage stage);
    }

    private ActorSystem system;
    private Benchmark benchmark;
    private Work work;
    private long sum;
    private long messages;

    /**
     * Starts Pekko, and returns the parallelism of its pool. All options are read before: Pekko makes
     * the JVM print warnings, but a user's mistake is one line.
     */
    @Override
    public long threads(Options options) {
        var threads = options.text("threads");
        benchmark = benchmark(options.text("form"));
        work = new Work((int) options.number("actors"), (int) options.number("amount"),
                (int) options.number("seed") & 65535);
        system = system(threads);
        return CompletableFuture.supplyAsync(Savina::parallelism, system.dispatcher()).join();
    }

    /** Of the pool, one of whose threads runs this. */
    private static int parallelism() {
        return ((ForkJoinWorkerThread) Thread.currentThread()).getPool().getParallelism();
    }

    @Override
    public void load(Options options) {} // there is no input

    private static Benchmark benchmark(String form) {
        return switch (form) {
            case "counting" -> new Counting();
            case "fork-join-throughput" -> new ForkJoinThroughput();
            case "fork-join-creation" -> new ForkJoinCreation();
            case "thread-ring" -> new ThreadRing();
            case "chameneos" -> new Chameneos();
            case "big" -> new Big();
            case "bounded-buffer" -> new BoundedBuffer();
            case "philosophers" -> new Philosophers();
            case "sleeping-barber" -> new SleepingBarber();
            case "cigarette-smokers" -> new CigaretteSmokers();
            case "concurrent-dictionary" -> new ConcurrentDictionary();
            case "concurrent-sorted-list" -> new ConcurrentSortedList();
            case "bank-transactions" -> new BankTransactions();
            case "trapezoid" -> new Trapezoid();
            default -> new PingPong();
        };
    }

    /** Pekko's defaults, but for as many threads as the option, and neither logs nor hooks. */
    private static ActorSystem system(String threads) {
        var pool = "pekko.actor.default-dispatcher.fork-join-executor.";
        var settings = Map.of("pekko.daemonic", "on", "pekko.loglevel", "OFF",
                "pekko.stdout-loglevel", "OFF", "pekko.jvm-shutdown-hooks", "off",
                "pekko.log-dead-letters", "off", "pekko.log-dead-letters-during-shutdown", "off",
                "pekko.actor.default-dispatcher.executor", "fork-join-executor",
                pool + "parallelism-min", threads, pool + "parallelism-max", threads);
        var config = ConfigFactory.parseMap(settings).withFallback(ConfigFactory.load());
        return ActorSystem.create("savina", config);
    }

    @Override
    public void prepare() { sum = 0; }

    @Override
    public void run() {
        var all = new CompletableFuture<Main.Ended>();
        system.actorOf(Props.create(Main.class, () -> new Main(benchmark, work, all)));
        sum = all.join().result();
        messages += all.join().messages();
    }

    /** Hashes the decimal digits of the sum of all results. */
    @Override
    public long digest() {
        var hash = new Fnv1a();
        hash.add(Long.toString(sum));
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() { return Map.of("messages", messages); }

    public static void main(String[] arguments) {
        Harness.main("savina", "pekko", new Savina(), arguments);
    }
}
