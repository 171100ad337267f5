package newspeak.syntax;

import java.util.List;

/** A selector and the names of its arguments. */
public record Pattern(int at, String selector, List<String> parameters) {}
