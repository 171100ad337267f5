package langbench.plain;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The file that a request's target names. */
final class Target {
    private static final Pattern ABSOLUTE =
            Pattern.compile("http://([^/?]*)(.*)", Pattern.CASE_INSENSITIVE);
    private static final Pattern ESCAPE = Pattern.compile("%([0-9A-Fa-f]{2})?");
    private static final Pattern NAME = Pattern.compile("(?!\\.\\.?$)[\\x20-\\x7e&&[^/\\\\]]+");

    private Target() {}

    /** The names of the folders, and of the file. */
    static String[] fileName(String target) throws Failure {
        String path = target;
        Matcher absolute = ABSOLUTE.matcher(target);
        if (absolute.matches()) {
            if (absolute.group(1).isEmpty()) {
                throw new Failure(400);
            }
            path = absolute.group(2).startsWith("/") ? absolute.group(2) : "/";
        }
        if (!path.startsWith("/")) {
            throw new Failure(400);
        }
        String[] segments = path.split("\\?", 2)[0].substring(1).split("/", -1);
        for (int i = 0; i < segments.length; i++) {
            segments[i] = unescaped(segments[i]);
        }
        for (String segment : segments) {
            if (!NAME.matcher(segment).matches()) {
                throw new Failure(404);
            }
        }
        return segments;
    }

    private static String unescaped(String segment) throws Failure {
        Matcher escapes = ESCAPE.matcher(segment);
        StringBuffer text = new StringBuffer();
        while (escapes.find()) {
            if (escapes.group(1) == null) {
                throw new Failure(400);
            }
            char character = (char) Integer.parseInt(escapes.group(1), 16);
            escapes.appendReplacement(text, Matcher.quoteReplacement(String.valueOf(character)));
        }
        escapes.appendTail(text);
        return text.toString();
    }
}
