package newspeak.runtime;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Standard output and standard error, in the order in which the program writes. */
public final class Console {
  private final PrintStream out;
  private final PrintStream err;
  /** Whether `out` may hold text back. */
  private volatile boolean held;

  /** The console of the process. */
  public Console() {
    this(new FileOutputStream(FileDescriptor.out), new FileOutputStream(FileDescriptor.err));
  }

  Console(OutputStream out, OutputStream err) {
    this.out = buffered(out);
    this.err = buffered(err);
  }

  private static PrintStream buffered(OutputStream stream) {
    return new PrintStream(new BufferedOutputStream(stream), false, StandardCharsets.UTF_8);
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
