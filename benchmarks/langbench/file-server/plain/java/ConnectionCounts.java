package langbench.plain;

/** What a connection counts, or the sum of several. */
final class ConnectionCounts {
    long requests;
    long bodyBytes;
}
