package langbench.fileserver;

/** Why a request is not answered with a file. */
final class Failure extends Exception {
    private static final long serialVersionUID = 1;

    final int status;
    /** What the head says besides; may be empty. */
    final String field;

    Failure(int status) {
        this(status, "");
    }

    Failure(int status, String field) {
        super(field, null, false, false); // a request that fails is no surprise: no stack trace
        this.status = status;
        this.field = field;
    }
}
