package newspeak.runtime;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Standard output and standard error, in the order in which the program writes. */
public final class Console {
  private final PrintStream out = stream(FileDescriptor.out);
  private final PrintStream err = stream(FileDescriptor.err);

  private static PrintStream stream(FileDescriptor file) {
    return new PrintStream(
        new BufferedOutputStream(new FileOutputStream(file)), false, StandardCharsets.UTF_8);
  }

  @TruffleBoundary
  public synchronized void print(String text) {
    out.print(text);
    if (text.indexOf('\n') >= 0) {
      out.flush();
    }
  }

  @TruffleBoundary
  public synchronized void error(String line) {
    out.flush();
    err.println(line);
    err.flush();
  }

  public synchronized void flush() {
    out.flush();
  }
}
