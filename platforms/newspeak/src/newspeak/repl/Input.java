package newspeak.repl;

import newspeak.lexer.SourceText;
import newspeak.runtime.Universe;
import newspeak.syntax.Parser;
import newspeak.syntax.SyntaxErrors;

/** Where inputs come from. */
interface Input extends AutoCloseable {
  /** The next input, of one line or more, with more than white space; null at the end. */
  String read();

  @Override
  void close();

  /** A terminal, or what is piped in; Ctrl-C on a terminal runs `interrupt`. */
  static Input open(Universe universe, Runnable interrupt) {
    return isTerminal() ? new TerminalInput(interrupt) : new PipedInput();
  }

  /** Whether nobody types, and nothing is piped in. */
  static boolean isMissing() {
    return !isTerminal() && PipedInput.isEmpty();
  }

  private static boolean isTerminal() {
    return System.console() != null && System.console().isTerminal();
  }

  /** Whether more lines could put a text right that is not correct yet. */
  static boolean isUnfinished(String text) {
    if (text.startsWith(":")) {
      return false;
    }
    try {
      Parser.input(new SourceText("input", text));
      return false;
    } catch (SyntaxErrors errors) {
      return errors.isUnfinished();
    }
  }
}
