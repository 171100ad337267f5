package awfy;

import java.util.Map;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;

/** The benchmarks awfy/awfy (contract.md beside this folder); the form says which one. */
public final class Awfy implements Harness.Program {
    private Benchmark benchmark;
    private int inner;
    private long answer;

    @Override
    public void load(Options options) {
        inner = (int) options.number("inner");
        benchmark = switch (options.text("form")) {
            case "bounce" -> new Bounce();
            case "cd" -> new CD();
            case "deltablue" -> new DeltaBlue();
            case "havlak" -> new Havlak((int) options.number("parallel"));
            case "json" -> new Json();
            case "list" -> new List();
            case "mandelbrot" -> new Mandelbrot();
            case "nbody" -> new NBody();
            case "permute" -> new Permute();
            case "queens" -> new Queens();
            case "richards" -> new Richards();
            case "sieve" -> new Sieve();
            case "storage" -> new Storage();
            default -> new Towers();
        };
    }

    @Override
    public void prepare() { answer = 0; }

    @Override
    public void run() { answer = benchmark.run(inner); }

    /** Hashes the answer's decimal digits. */
    @Override
    public long digest() {
        var hash = new Fnv1a();
        hash.add(Long.toString(answer));
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("elements", Counts.elements, "steps", Counts.steps);
    }

    public static void main(String[] arguments) {
        Harness.main("awfy", "standard", new Awfy(), arguments);
    }
}
