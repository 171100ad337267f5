package langbench.log;

/** A line without its variables. */
record LogType(String text, String kinds) {
    static LogType of(String text) {
        var kinds = new StringBuilder(); // its placeholders
        for (int i = 0; i < text.length(); i++) {
            if (Tokens.isPlaceholder(text.charAt(i))) {
                kinds.append(text.charAt(i));
            }
        }
        return new LogType(text, kinds.toString());
    }
}
