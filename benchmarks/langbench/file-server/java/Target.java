package langbench.fileserver;

import java.util.ArrayList;
import java.util.List;

/** A request's target, as the name of a file. */
final class Target {
    private static final String SCHEME = "http://";

    private Target() {}

    /** The names of folders on the way, and the file's own. */
    static List<String> fileName(String target) throws Failure {
        var path = target;
        if (path.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            path = withoutAuthority(path.substring(SCHEME.length()));
        }
        if (!path.startsWith("/")) {
            throw new Failure(400);
        }
        int query = path.indexOf('?');
        if (query >= 0) {
            path = path.substring(0, query);
        }
        var segments = new ArrayList<String>();
        for (var segment : path.substring(1).split("/", -1)) {
            segments.add(unescaped(segment));
        }
        for (var segment : segments) {
            if (!isName(segment)) {
                throw new Failure(404);
            }
        }
        return segments;
    }

    private static String withoutAuthority(String target) throws Failure {
        int end = 0;
        while (end < target.length() && target.charAt(end) != '/' && target.charAt(end) != '?') {
            end++;
        }
        if (end == 0) {
            throw new Failure(400);
        }
        var path = target.substring(end);
        return path.startsWith("/") ? path : "/";
    }

    /** Every %XX becomes the character that stands for its byte. */
    private static String unescaped(String segment) throws Failure {
        if (segment.indexOf('%') < 0) {
            return segment;
        }
        var bytes = new StringBuilder();
        for (int i = 0; i < segment.length(); i++) {
            if (segment.charAt(i) != '%') {
                bytes.append(segment.charAt(i));
                continue;
            }
            int high = i + 1 < segment.length() ? Character.digit(segment.charAt(i + 1), 16) : -1;
            int low = i + 2 < segment.length() ? Character.digit(segment.charAt(i + 2), 16) : -1;
            if (high < 0 || low < 0) {
                throw new Failure(400);
            }
            bytes.append((char) (16 * high + low));
            i += 2;
        }
        return bytes.toString();
    }

    /** Whether a segment cannot leave its folder, whatever it is taken for. */
    private static boolean isName(String segment) {
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            if (c < ' ' || c > '~' || c == '/' || c == '\\') {
                return false;
            }
        }
        return !segment.isEmpty() && !segment.equals(".") && !segment.equals("..");
    }
}
