package techempower;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The page of the fortunes. */
final class Fortunes {
    private static final Fortune ADDED =
            new Fortune(0, "Additional fortune added at request time.");

    private Fortunes() {}

    /** With the added one, sorted by message: by UTF-16 units, the bytes' order in the plane. */
    static String render(List<Fortune> fortunes) {
        var rows = new ArrayList<>(fortunes);
        rows.add(ADDED);
        rows.sort(Comparator.comparing(Fortune::message));
        var page = new StringBuilder(
                "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>"
                        + "<tr><th>id</th><th>message</th></tr>");
        for (var row : rows) {
            page.append("<tr><td>").append(row.id()).append("</td><td>");
            escape(row.message(), page);
            page.append("</td></tr>");
        }
        return page.append("</table></body></html>").toString();
    }

    private static void escape(String text, StringBuilder page) {
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            switch (character) {
                case '&' -> page.append("&amp;");
                case '<' -> page.append("&lt;");
                case '>' -> page.append("&gt;");
                case '"' -> page.append("&quot;");
                case '\'' -> page.append("&#39;");
                default -> page.append(character);
            }
        }
    }
}
