package newspeak.runtime;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

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
        while (!waitsForConsole(other)) {
          if (!other.isAlive()) {
            throw new AssertionError("a flush returned before the text was out");
          }
          Thread.onSpinWait();
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

  private static boolean waitsForConsole(Thread thread) {
    ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.threadId());
    return info != null && info.getLockName() != null
        && info.getLockName().startsWith(Console.class.getName() + "@");
  }
}
