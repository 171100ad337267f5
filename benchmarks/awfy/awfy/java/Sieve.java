package awfy;

import java.util.Arrays;

/** The sieve of Eratosthenes up to 5000. */
final class Sieve extends Benchmark {
    private static final int SIZE = 5000;

    @Override
    long once() {
        var flags = new boolean[SIZE];
        Arrays.fill(flags, true);
        int primes = 0;
        for (int i = 2; i <= SIZE; i++) {
            if (flags[i - 1]) {
                primes++;
                for (int k = i + i; k <= SIZE; k += i) {
                    Counts.steps++; // tick
                    flags[k - 1] = false;
                }
            }
        }
        return primes;
    }
}
