package awfy;

/** The suite's own generator of numbers below 65536. */
final class Random {
    private int seed = 74755;

    int next() {
        seed = (seed * 1309 + 13849) & 65535;
        return seed;
    }
}
