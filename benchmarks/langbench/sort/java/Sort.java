package langbench;

import java.io.IOException;
import java.util.List;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Harness.Counter;
import runfair.Harness.Parameter;
import runfair.Options;
import runfair.SplitMix64;
import runfair.UserMistake;

/** The benchmark langbench/sort (contract.md beside this folder). */
public final class Sort implements Harness.Program {
    /** As long as HotSpot lets an array become, whatever the heap. */
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 2;

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
        return p.compareTo(q) < 0;
    }

    private static void swap(String[] x, int i, int j) {
        var moved = x[i];
        x[i] = x[j];
        x[j] = moved;
    }

    /** Makes the array of strings, each a string of its own. */
    @Override
    public void load(Options options) {
        int letters = options.integer("letters", 2, 26);
        int length = options.integer("length", 1, 8);
        long words = 1;
        for (int i = 0; i < length; i++) {
            words *= letters;
        }
        if (words > LONGEST_ARRAY) {
            throw new UserMistake(letters + " letters and length " + length
                    + " make " + words + " words; take fewer than " + (LONGEST_ARRAY + 1));
        }

        int n = (int) words;
        var random = new SplitMix64(options.seed());
        input = new String[n];
        switch (options.workload()) {
            case "classic" -> {
                for (int i = 0; i < n; i++) {
                    input[i] = word(n - 1 - i, letters, length);
                }
            }
            case "shuffled" -> {
                for (int i = 0; i < n; i++) {
                    input[i] = word(i, letters, length);
                }
                random.shuffle(input);
            }
            case "duplicates" -> {
                int different = Math.min(64, n);
                for (int i = 0; i < n; i++) {
                    input[i] = word((int) random.bounded(different), letters, length);
                }
            }
            default -> throw new IllegalStateException(options.workload());
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

    /** Sorts the array with counters. */
    @Override
    public List<Counter> count() {
        var counted = new CountedSort(words);
        counted.sort(0, words.length);
        return List.of(
                new Counter("comparisons", counted.comparisons),
                new Counter("swaps", counted.swaps));
    }

    public static void main(String[] arguments) throws IOException {
        var benchmark = new Harness.Benchmark(
                "sort",
                "standard",
                List.of("classic", "shuffled", "duplicates"),
                List.of(new Parameter("letters", "4"), new Parameter("length", "6")),
                0);
        Harness.main(benchmark, new Sort(), arguments);
    }
}
