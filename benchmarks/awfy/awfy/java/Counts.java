package awfy;

/** The counters of contract.md. */
final class Counts {
    static long steps;
    static long elements;

    private Counts() {}
}
