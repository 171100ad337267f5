package runfair;

/** What the user did wrong; the message, of one line, says what to do. */
public final class UserMistake extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UserMistake(String message) { super(message); }

    /** Names the fault's class: its own text may hold the path, be it of several lines. */
    public static UserMistake unreadableInput(String path, Exception fault) {
        var reason = fault.getClass().getSimpleName();
        return new UserMistake("input " + quoted(path) + " cannot be read: " + reason);
    }

    /** The text as a JSON string, which is always one line. */
    public static String quoted(String text) {
        var escaped = text.replace("\\", "\\\\").replace("\"", "\\\"");
        return "\"".concat(escaped.replace("\n", "\\n").replace("\r", "\\r")).concat("\"");
    }
}
