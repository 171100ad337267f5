package runfair;

import java.util.*;

/** The generator of Steele, Lea and Flood (OOPSLA 2014). */
public final class SplitMix64 {
    private long state;

    public SplitMix64(long seed) { state = seed; }

    public long next() {
        long z = state += 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** A number below n, 1 ≤ n < 2³². */
    public long bounded(long n) { return (next() >>> 32) % n; }

    /** The same list, shuffled in place. */
    public <T> List<T> shuffle(List<T> list) {
        for (int i = list.size() - 1; i > 0; i--) {
            Collections.swap(list, i, (int) bounded(i + 1L));
        }
        return list;
    }
}
