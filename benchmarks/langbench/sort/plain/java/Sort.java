package langbench.plain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;
import runfair.SplitMix64;

/** The contract's pseudocode as methods of an object that has the array, in Java 8. */
public final class Sort implements Harness.Program {
    private long comparisons;
    private long swaps;
    private String[] input;
    private String[] x;

    private void sort(int lo, int hi) {
        if (hi - lo <= 1) {
            return;
        }
        int middle = lo + (hi - lo) / 2;
        int work = lo + hi - middle;
        sortInto(lo, middle, work);
        while (work - lo > 2) {
            int end = work;
            work = lo + (end - lo + 1) / 2;
            sortInto(work, end, lo);
            merge(lo, lo + end - work, end, hi, work);
        }
        for (int next = work; next > lo; next--) {
            int at = next;
            while (at < hi && less(at, at - 1)) {
                swap(at, at - 1);
                at++;
            }
        }
    }

    private void sortInto(int lo, int hi, int work) {
        if (hi - lo > 1) {
            int middle = lo + (hi - lo) / 2;
            sort(lo, middle);
            sort(middle, hi);
            merge(lo, middle, middle, hi, work);
        } else if (lo < hi) {
            swap(lo, work);
        }
    }

    private void merge(int a, int aEnd, int b, int bEnd, int work) {
        while (a < aEnd && b < bEnd) {
            if (less(a, b)) {
                swap(work, a);
                a++;
            } else {
                swap(work, b);
                b++;
            }
            work++;
        }
        while (a < aEnd) {
            swap(work, a);
            a++;
            work++;
        }
        while (b < bEnd) {
            swap(work, b);
            b++;
            work++;
        }
    }

    private boolean less(int p, int q) {
        comparisons++; // tick
        return x[p].compareTo(x[q]) < 0;
    }

    private void swap(int i, int j) {
        swaps++; // tick
        String word = x[i];
        x[i] = x[j];
        x[j] = word;
    }

    @Override
    public void load(Options options) {
        int letters = (int) options.number("letters");
        int length = (int) options.number("length");
        String workload = options.text("workload");
        int count = 1;
        for (int i = 0; i < length; i++) {
            count = Math.multiplyExact(count, letters);
        }
        SplitMix64 random = new SplitMix64(options.number("seed"));
        List<String> words = new ArrayList<>(count);
        for (int p = 0; p < count; p++) {
            int number = p;
            if (workload.equals("classic")) {
                number = count - 1 - p;
            } else if (workload.equals("duplicates")) {
                number = (int) random.bounded(Math.min(64, count));
            }
            words.add(word(number, letters, length));
        }
        if (workload.equals("shuffled")) {
            random.shuffle(words);
        }
        input = words.toArray(new String[0]);
    }

    private static String word(int number, int letters, int length) {
        char[] text = new char[length];
        for (int i = length - 1; i >= 0; i--) {
            text[i] = (char) ('a' + number % letters);
            number /= letters;
        }
        return new String(text);
    }

    @Override
    public void prepare() {
        x = input.clone();
    }

    @Override
    public void run() {
        sort(0, x.length);
    }

    @Override
    public long digest() {
        Fnv1a hash = new Fnv1a();
        for (String word : x) {
            hash.add(word);
            hash.add((byte) '\n');
        }
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counters = new HashMap<>();
        counters.put("comparisons", comparisons);
        counters.put("swaps", swaps);
        return counters;
    }

    public static void main(String[] arguments) {
        Harness.main("sort", "plain", new Sort(), arguments);
    }
}
