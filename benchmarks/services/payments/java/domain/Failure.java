package payments;

/** The body of every answer but 200. */
public record Failure(String error) {}
