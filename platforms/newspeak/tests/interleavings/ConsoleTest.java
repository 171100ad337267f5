package newspeak.runtime;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;

/** A thread flushes while another thread is in the middle of writing the held text. */
final class ConsoleTest {
  private ConsoleTest() {}

  private static Console console;
  private static Thread other;

  public static void main(String[] none) throws InterruptedException {
    OutputStream out = new ByteArrayOutputStream() {
      @Override
      public void write(byte[] bytes, int start, int count) {
        other = new Thread(console::flush);
        other.start();
        Thread.State state = other.getState();
        while (state != Thread.State.BLOCKED && state != Thread.State.TERMINATED) {
          Thread.onSpinWait();
          state = other.getState();
        }
        if (state == Thread.State.TERMINATED) {
          throw new AssertionError("a flush returned before the text was out");
        }
        super.write(bytes, start, count);
      }
    };
    console = new Console(out, OutputStream.nullOutputStream());
    console.print("held");
    console.flush();
    other.join();
    if (!out.toString().equals("held")) {
      throw new AssertionError("the text that is out: " + out);
    }
  }
}
