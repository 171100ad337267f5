package langbench.keyvalue;

/** What was sent is no request; the message says why. */
final class ProtocolError extends Exception {
    private static final long serialVersionUID = 1;

    ProtocolError(String message) {
        super(message);
    }
}
