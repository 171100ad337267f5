package langbench.plain;

/** A request that is not answered with a file. */
final class Failure extends Exception {
    private static final long serialVersionUID = 1;

    final int status;
    final String field; // a further line of the head, or empty

    Failure(int status, String field) {
        super(Integer.toString(status));
        this.status = status;
        this.field = field;
    }

    Failure(int status) {
        this(status, "");
    }
}
