package langbench;

/** The sort of Sort.java, line by line, with counters. */
final class CountedSort {
    private final String[] x;
    long comparisons;
    long swaps;

    CountedSort(String[] x) {
        this.x = x;
    }

    void sort(int lo, int hi) {
        if (hi - lo > 1) {
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
                for (int at = next; at < hi && less(x[at], x[at - 1]); at++) {
                    swap(at, at - 1);
                }
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
            if (less(x[a], x[b])) {
                swap(work++, a++);
            } else {
                swap(work++, b++);
            }
        }
        while (a < aEnd) {
            swap(work++, a++);
        }
        while (b < bEnd) {
            swap(work++, b++);
        }
    }

    private boolean less(String p, String q) {
        comparisons++;
        return p.compareTo(q) < 0;
    }

    private void swap(int i, int j) {
        swaps++;
        var moved = x[i];
        x[i] = x[j];
        x[j] = moved;
    }
}
