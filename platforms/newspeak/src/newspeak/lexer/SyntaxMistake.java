package newspeak.lexer;

/** One mistake in a program's text. The parser collects them: a file may have many. */
public final class SyntaxMistake extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final transient SourceText source;
  private final int offset;
  private final boolean unfinished;

  public SyntaxMistake(SourceText source, int offset, String message) {
    this(source, offset, message, false);
  }

  /** `unfinished`: the text ended too early, so more text could put it right. */
  public SyntaxMistake(SourceText source, int offset, String message, boolean unfinished) {
    super(message, null, false, false);
    this.source = source;
    this.offset = offset;
    this.unfinished = unfinished;
  }

  public boolean isUnfinished() {
    return unfinished;
  }

  public int offset() {
    return offset;
  }

  /** The place, what is wrong, the line and a caret. */
  public String report() {
    return "Run-time Error: " + source.place(offset) + ": " + getMessage() + "\n"
        + source.excerpt(offset);
  }
}
