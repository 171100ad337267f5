package newspeak.repl;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jline.reader.EOFError;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.ParsedLine;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/** A person at a terminal: edits lines, and has a history. */
final class TerminalInput implements Input {
  /** The file with the lines of earlier sessions. */
  private static final String HISTORY = System.getProperty("newspeak.history");
  private static final String PROMPT = "newspeak> ";
  private static final String MORE = "........> ";

  private final Terminal terminal;
  private final LineReader reader;

  TerminalInput(Runnable interrupt) {
    try {
      terminal = TerminalBuilder.builder().system(true).build();
    } catch (IOException unusable) {
      throw new UncheckedIOException(unusable);
    }
    terminal.handle(Terminal.Signal.INT, signal -> interrupt.run());
    reader = LineReaderBuilder.builder().terminal(terminal).parser(new Lines())
        .variable(LineReader.SECONDARY_PROMPT_PATTERN, MORE)
        .variable(LineReader.INDENTATION, 0)
        .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
        .build();
    if (HISTORY != null) {
      reader.setVariable(LineReader.HISTORY_FILE, HISTORY);
    }
  }

  /** Tells the line reader when an input needs another line. */
  private static final class Lines extends DefaultParser {
    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
      if (context == ParseContext.ACCEPT_LINE && Input.isUnfinished(line)) {
        throw new EOFError(-1, -1, "unfinished");
      }
      return super.parse(line, cursor, ParseContext.UNSPECIFIED);
    }
  }

  @Override
  public String read() {
    while (true) {
      try {
        String text = reader.readLine(PROMPT);
        if (!text.isBlank()) {
          return text;
        }
      } catch (UserInterruptException forgotten) {
        // Ctrl-C while typing: the line is forgotten.
      } catch (EndOfFileException end) {
        return null;
      }
    }
  }

  @Override
  public void close() {
    try {
      terminal.close();
    } catch (IOException unusable) {
      throw new UncheckedIOException(unusable);
    }
  }
}
