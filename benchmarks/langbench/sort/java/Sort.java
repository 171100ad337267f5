package langbench;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;
import runfair.SplitMix64;

/** The benchmark langbench/sort (contract.md beside this folder). */
public final class Sort implements Harness.Program {
    private static long comparisons;
    private static long swaps;

    private String[] input;
    private String[] words;

    /** Sorts x[lo, hi) in place (Katajainen, Pasanen and Teuhola, 1996). */
    static void sort(String[] x, int lo, int hi) {
        if (hi - lo > 1) {
            int middle = lo + (hi - lo) / 2;
            int work = lo + hi - middle;
            sortInto(x, lo, middle, work);
            while (work - lo > 2) {
                int end = work;
                work = lo + (end - lo + 1) / 2;
                sortInto(x, work, end, lo);
                merge(x, lo, lo + end - work, end, hi, work);
            }
            for (int next = work; next > lo; next--) {
                for (int at = next; at < hi && less(x[at], x[at - 1]); at++) {
                    swap(x, at, at - 1);
                }
            }
        }
    }

    /** Sorts x[lo, hi) into x[work, work + hi - lo). */
    private static void sortInto(String[] x, int lo, int hi, int work) {
        if (hi - lo > 1) {
            int middle = lo + (hi - lo) / 2;
            sort(x, lo, middle);
            sort(x, middle, hi);
            merge(x, lo, middle, middle, hi, work);
        } else if (lo < hi) {
            swap(x, lo, work);
        }
    }

    /** Merges the sorted x[a, aEnd) and x[b, bEnd) by swapping into x[work …]. */
    private static void merge(String[] x, int a, int aEnd, int b, int bEnd, int work) {
        while (a < aEnd && b < bEnd) {
            if (less(x[a], x[b])) {
                swap(x, work++, a++);
            } else {
                swap(x, work++, b++);
            }
        }
        while (a < aEnd) {
            swap(x, work++, a++);
        }
        while (b < bEnd) {
            swap(x, work++, b++);
        }
    }

    private static boolean less(String p, String q) {
        comparisons++; // tick
        return p.compareTo(q) < 0;
    }

    private static void swap(String[] x, int i, int j) {
        swaps++; // tick
        var moved = x[i];
        x[i] = x[j];
        x[j] = moved;
    }

    /** Makes the array of strings, each a string of its own. */
    @Override
    public void load(Options options) {
        int letters = (int) options.number("letters");
        int length = (int) options.number("length");
        int n = 1;
        for (int i = 0; i < length; i++) {
            n = Math.multiplyExact(n, letters);
        }
        var random = new SplitMix64(options.number("seed"));
        var workload = options.text("workload");
        input = new String[n];
        for (int i = 0; i < n; i++) {
            long number = switch (workload) {
                case "classic" -> n - 1 - i;
                case "duplicates" -> random.bounded(Math.min(64, n));
                default -> i;
            };
            input[i] = word((int) number, letters, length);
        }
        if (workload.equals("shuffled")) {
            random.shuffle(Arrays.asList(input));
        }
    }

    /** Writes the number in base letters, most significant digit first. */
    private static String word(int number, int letters, int length) {
        var text = new char[length];
        for (int i = length - 1; i >= 0; i--) {
            text[i] = (char) ('a' + number % letters);
            number /= letters;
        }
        return new String(text);
    }

    /** Copies the array, not the strings. */
    @Override
    public void prepare() {
        words = input.clone();
    }

    /** Sorts the array. */
    @Override
    public void run() {
        sort(words, 0, words.length);
    }

    /** Hashes the sorted words, a line each. */
    @Override
    public long digest() {
        var hash = new Fnv1a();
        for (var word : words) {
            hash.add(word);
            hash.add((byte) '\n');
        }
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("comparisons", comparisons, "swaps", swaps);
    }

    public static void main(String[] arguments) throws IOException {
        Harness.main("sort", "standard", new Sort(), arguments);
    }
}
