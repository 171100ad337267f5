package newspeak.syntax;

import java.util.List;
import java.util.stream.Collectors;
import newspeak.lexer.SyntaxMistake;

/** All mistakes of one file, in their order. */
public final class SyntaxErrors extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean unfinished;

  SyntaxErrors(List<SyntaxMistake> mistakes) {
    super(
        mistakes.stream()
            .sorted((a, b) -> Integer.compare(a.offset(), b.offset()))
            .map(SyntaxMistake::report)
            .collect(Collectors.joining("\n")),
        null,
        false,
        false);
    unfinished = mistakes.stream().anyMatch(SyntaxMistake::isUnfinished);
  }

  /** Whether the text ended too early: more text could put it right. */
  public boolean isUnfinished() {
    return unfinished;
  }
}
