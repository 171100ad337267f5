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
  /** Whether `out` may hold text back. */
  private volatile boolean held;

  private static PrintStream stream(FileDescriptor file) {
    return new PrintStream(
        new BufferedOutputStream(new FileOutputStream(file)), false, StandardCharsets.UTF_8);
  }

  @TruffleBoundary
  public synchronized void print(String text) {
    held = true;
    out.print(text);
    if (text.indexOf('\n') >= 0) {
      flush();
    }
  }

  @TruffleBoundary
  public synchronized void error(String line) {
    flush();
    err.println(line);
    err.flush();
  }

  /** Called after each batch of turns, so it takes the lock only if there is text. */
  public void flush() {
    if (held) {
      synchronized (this) {
        out.flush();
        held = false; // only now: another thread that flushes waits until the text is out
      }
    }
  }
}
