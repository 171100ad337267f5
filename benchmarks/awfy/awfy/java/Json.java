package awfy;

/** Parses a document of operations on widgets; the answer is how many there are. */
final class Json extends Benchmark {
    private static final int OPERATIONS = 156;

    private final String text = document();

    @Override
    long once() {
        var document = new JsonParser(text).parse();
        if (!document.isObject() || !document.asObject().get("head").isObject()) {
            throw new IllegalStateException("the document has no head");
        }
        var operations = document.asObject().get("operations");
        if (!operations.isArray()) {
            throw new IllegalStateException("the document has no operations");
        }
        return operations.asArray().size();
    }

    private static String document() {
        var random = new Random();
        String text = "{\"head\":{\"counter\":4,\"valid\":true},\"operations\":[";
        for (int i = 0; i < OPERATIONS; i++) {
            text += (i == 0 ? "" : ",") + operation(i, random);
        }
        return text + "]}";
    }

    private static String operation(int index, Random random) {
        int kind = random.next() % 3;
        String start = "\",\"w" + index + "\",";
        if (kind == 0) {
            return "[\"create" + start + "\"Widget" + random.next() % 20 + "\",{\"parent\":\"w"
                    + random.next() % (index + 1) + "\",\"style\":[\"BORDER\",\"FLAT\"],\"bounds\":["
                    + random.next() % 1000 + "," + random.next() % 1000 + "," + random.next() % 200
                    + "," + random.next() % 50 + "],\"tabIndex\":-" + random.next() % 10
                    + ",\"visible\":true}]";
        }
        if (kind == 1) {
            return "[\"set" + start + "{\"text\":\"Item \\\"" + random.next() % 100
                    + "\\\"\\n\",\"selection\":null,\"weight\":0." + random.next() % 1000
                    + "e+2,\"enabled\":false}]";
        }
        String entries = "";
        for (int i = 0; i < 3; i++) {
            entries += (i == 0 ? "" : ", ") + "{\"key\":\"k" + random.next() % 40 + "\",\"value\":"
                    + random.next() % 10_000 + "}";
        }
        return "[\"call" + start + "\"update\",{\"values\":[" + entries + "]}]";
    }
}
