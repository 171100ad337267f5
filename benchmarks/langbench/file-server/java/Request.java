package langbench.fileserver;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** What a connection asks for. */
final class Request {
    /** Digits; a longer number is too large in any case. */
    static final int LONGEST_LENGTH = 15;

    private static final int MOST_BODY_BYTES = 65_536;
    private static final String TOKEN_SIGNS = "!#$%&'*+.^_`|~-";
    private static final String HOST_SIGNS = "-._~%!$&'()*+;=:[]";

    final String method;
    final String target;
    /** Of the version, HTTP/1. */
    final int minor;

    private final Map<String, String> headers = new HashMap<>();

    /** Reads the request line. */
    Request(String line) throws Failure {
        int first = line.indexOf(' ');
        int last = line.lastIndexOf(' ');
        if (first == last) {
            throw new Failure(400);
        }
        method = line.substring(0, first);
        target = line.substring(first + 1, last);
        var version = line.substring(last + 1);
        if (!isToken(method) || !isVisible(target)) {
            throw new Failure(400);
        }
        if (version.length() != 8 || !version.startsWith("HTTP/") || !isDigit(version.charAt(5))
                || version.charAt(6) != '.' || !isDigit(version.charAt(7))) {
            throw new Failure(400);
        }
        if (version.charAt(5) != '1') {
            throw new Failure(505);
        }
        minor = version.charAt(7) == '0' ? 0 : 1;
    }

    void addField(String line) throws Failure {
        int colon = line.indexOf(':');
        if (colon < 0 || !isToken(line.substring(0, colon))) {
            throw new Failure(400);
        }
        var value = trimmed(line.substring(colon + 1));
        if (hasControl(value)) {
            throw new Failure(400);
        }
        var name = line.substring(0, colon).toLowerCase(Locale.ROOT);
        headers.merge(name, value, (before, behind) -> before + "," + behind);
    }

    /** The value of a field; null where there is none. */
    String header(String name) {
        return headers.get(name);
    }

    /** How many bytes follow the headers. */
    int bodyLength() throws Failure {
        var host = header("host");
        if (host == null ? minor == 1 : !consistsOf(host, HOST_SIGNS)) {
            throw new Failure(400);
        }
        var length = header("content-length");
        if (header("transfer-encoding") != null) {
            throw new Failure(length != null ? 400 : 411);
        }
        if (length != null && !isDecimal(length)) {
            throw new Failure(400);
        }
        if (length != null
                && (length.length() > LONGEST_LENGTH || Long.parseLong(length) > MOST_BODY_BYTES)) {
            throw new Failure(413);
        }
        if (header("expect") != null && minor == 1) {
            throw new Failure(417);
        }
        return length == null ? 0 : Integer.parseInt(length);
    }

    /** Whether another request may follow on the connection. */
    boolean persistent() {
        boolean persistent = minor == 1;
        var connection = header("connection");
        if (connection != null) {
            for (var token : connection.split(",")) {
                switch (trimmed(token).toLowerCase(Locale.ROOT)) {
                    case "close" -> {
                        return false;
                    }
                    case "keep-alive" -> persistent = true;
                    default -> { }
                }
            }
        }
        return persistent;
    }

    static boolean isDecimal(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    private static boolean isDigit(char c) {
        return '0' <= c && c <= '9';
    }

    private static boolean isToken(String text) {
        return !text.isEmpty() && consistsOf(text, TOKEN_SIGNS);
    }

    /** Whether nothing but letters, digits and those signs is in the text. */
    private static boolean consistsOf(String text, String signs) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isDigit(c) && !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z')
                    && signs.indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isVisible(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) > '~') {
                return false;
            }
        }
        return !text.isEmpty();
    }

    private static boolean hasControl(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7f) {
                return true;
            }
        }
        return false;
    }

    /** Without the spaces and tabs at its ends: trim() would take other controls as well. */
    private static String trimmed(String text) {
        int begin = 0;
        int end = text.length();
        while (begin < end && isBlank(text.charAt(begin))) {
            begin++;
        }
        while (begin < end && isBlank(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(begin, end);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
