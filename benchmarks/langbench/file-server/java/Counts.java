package langbench.fileserver;

import java.util.Map;

/** What a connection counts, or the sum of several. */
final class Counts {
    long requests;
    long bodyBytes;

    void add(Counts other) {
        requests += other.requests;
        bodyBytes += other.bodyBytes;
    }

    Map<String, Long> byName() {
        return Map.of("requests", requests, "body_bytes", bodyBytes);
    }
}
