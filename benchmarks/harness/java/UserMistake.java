package runfair;

/** What the user did wrong; the message, of one line, says what to do. */
public final class UserMistake extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UserMistake(String message) {
        super(message);
    }
}
