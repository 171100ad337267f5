package newspeak.lexer;

/** A file's name and text, and where an offset is in it: line and column count from 1. */
public record SourceText(String path, String text) {
  public int line(int offset) {
    int line = 1;
    for (int at = 0; at < Math.min(offset, text.length()); at++) {
      if (text.charAt(at) == '\n') {
        line++;
      }
    }
    return line;
  }

  public int column(int offset) {
    int start = text.lastIndexOf('\n', Math.max(0, offset - 1)) + 1;
    return offset < start ? 1 : offset - start + 1;
  }

  /** `file:line:column`. */
  public String place(int offset) {
    return path + ":" + line(offset) + ":" + column(offset);
  }

  /** The line of an offset with a caret below the column. */
  public String excerpt(int offset) {
    int column = column(offset);
    int start = offset - column + 1;
    int end = text.indexOf('\n', Math.min(start, text.length()));
    String line = text.substring(Math.min(start, text.length()), end < 0 ? text.length() : end);
    StringBuilder caret = new StringBuilder();
    for (int at = 0; at < column - 1; at++) {
      caret.append(at < line.length() && line.charAt(at) == '\t' ? '\t' : ' ');
    }
    return line + "\n" + caret + "^";
  }
}
