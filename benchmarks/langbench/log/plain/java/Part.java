package langbench.plain;

/** A token of the query that is not whole, but surely part of a variable. */
final class Part {
    private final String text;
    private final boolean begins;
    private final boolean ends;

    Part(String text, boolean begins, boolean ends) {
        this.text = text;
        this.begins = begins;
        this.ends = ends;
    }

    boolean isPartOf(String variable) {
        if (begins) {
            return variable.startsWith(text);
        }
        return ends ? variable.endsWith(text) : variable.contains(text);
    }
}
