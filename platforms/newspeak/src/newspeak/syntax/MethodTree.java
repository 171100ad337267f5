package newspeak.syntax;

/** A method as written. */
public record MethodTree(Access access, Pattern pattern, Body body) {}
