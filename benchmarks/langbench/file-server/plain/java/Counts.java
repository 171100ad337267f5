package langbench.plain;

/** What a connection counts, or the sum of several. */
final class Counts {
    long requests;
    long bodyBytes;
}
