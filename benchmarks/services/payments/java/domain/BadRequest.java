package payments;

/** What is answered with 400. */
public final class BadRequest extends RuntimeException {
    private static final long serialVersionUID = 1;

    public BadRequest() {
        super("malformed request");
    }
}
