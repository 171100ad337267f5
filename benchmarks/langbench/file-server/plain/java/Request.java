package langbench.plain;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A request, whose parts are matched by regular expressions. */
final class Request {
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final Pattern LINE = Pattern.compile(
            "(" + TOKEN + ") ([\\x21-\\x7e]+) HTTP/([0-9])\\.([0-9])");
    private static final Pattern FIELD = Pattern.compile(
            "(" + TOKEN + "):[ \\t]*([^\\x00-\\x08\\x0a-\\x1f\\x7f]*?)[ \\t]*");
    private static final Pattern HOST =
            Pattern.compile("[A-Za-z0-9._~%!$&'()*+;=:\\[\\]-]*");
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final Pattern COMMA = Pattern.compile("[ \\t]*,[ \\t]*");
    private static final int MOST_BODY_BYTES = 65536;
    private static final int MOST_DIGITS = 15;

    final String method;
    final String target;
    final int minor;
    private final Map<String, String> headers = new HashMap<>();

    Request(String line) throws Failure {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new Failure(400);
        }
        if (!matcher.group(3).equals("1")) {
            throw new Failure(505);
        }
        method = matcher.group(1);
        target = matcher.group(2);
        minor = matcher.group(4).equals("0") ? 0 : 1;
    }

    void add(String line) throws Failure {
        Matcher matcher = FIELD.matcher(line);
        if (!matcher.matches()) {
            throw new Failure(400);
        }
        String name = matcher.group(1).toLowerCase(Locale.ROOT);
        String before = headers.get(name);
        headers.put(name, before == null ? matcher.group(2) : before + "," + matcher.group(2));
    }

    /** The value of a header, or null. */
    String header(String name) {
        return headers.get(name);
    }

    int bodyLength() throws Failure {
        String host = header("host");
        if (host == null ? minor == 1 : !HOST.matcher(host).matches()) {
            throw new Failure(400);
        }
        String length = header("content-length");
        if (header("transfer-encoding") != null) {
            throw new Failure(length != null ? 400 : 411);
        }
        if (length != null && !DIGITS.matcher(length).matches()) {
            throw new Failure(400);
        }
        if (length != null
                && (length.length() > MOST_DIGITS || Long.parseLong(length) > MOST_BODY_BYTES)) {
            throw new Failure(413);
        }
        if (header("expect") != null && minor == 1) {
            throw new Failure(417);
        }
        return length == null ? 0 : Integer.parseInt(length);
    }

    boolean isPersistent() {
        String connection = header("connection");
        boolean persistent = minor == 1;
        if (connection != null) {
            for (String token : COMMA.split(connection)) {
                if (token.equalsIgnoreCase("close")) {
                    return false;
                }
                persistent = persistent || token.equalsIgnoreCase("keep-alive");
            }
        }
        return persistent;
    }
}
