package newspeak.repl;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Lines of standard input that no person types. */
final class PipedInput implements Input {
  private final BufferedReader lines =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

  /** Whether the input ends before its first byte, which stays unread. */
  static boolean isEmpty() {
    System.in.mark(1);
    try {
      boolean empty = System.in.read() < 0;
      System.in.reset();
      return empty;
    } catch (IOException closed) {
      return true;
    }
  }

  @Override
  public String read() {
    StringBuilder text = new StringBuilder();
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        text.append(line);
        if (text.toString().isBlank()) {
          text.setLength(0);
        } else if (!Input.isUnfinished(text.toString())) {
          return text.toString();
        } else {
          text.append('\n');
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return text.isEmpty() ? null : text.toString().stripTrailing();
  }

  @Override
  public void close() {
    // Standard input is the process's own.
  }
}
