import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/** Exceptions, monitors, new classes, recursion and garbage, in several threads at once. */
final class Stress {
  private static final int THREADS = 4;
  private static final Object LOCK = new Object();
  private static long shared;
  private static int arrived;

  public static void main(String[] arguments) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int number = 0; number < THREADS; number++) {
      threads.add(new Thread(Stress::work));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.println(shared);
  }

  private static void work() {
    Map<Integer, byte[]> kept = new HashMap<>();
    for (int at = 0; at < 4_000; at++) {
      kept.put(at % 64, new byte[16_384]);
      int thrown = caught(at);
      IntUnaryOperator made = number -> number + thrown;
      synchronized (LOCK) {
        shared += made.applyAsInt(at);
      }
    }
    for (int at = 0; at < 20; at++) {
      Runnable proxy =
          (Runnable)
              Proxy.newProxyInstance(
                  new ClassLoader() {}, new Class<?>[] {Runnable.class}, (p, m, a) -> null);
      proxy.run();
      try {
        deeper(0);
      } catch (StackOverflowError error) {
        synchronized (LOCK) {
          shared += 1;
        }
      }
      meet();
    }
  }

  /** Waits for all threads. */
  private static synchronized void meet() {
    int round = arrived++ / THREADS;
    Stress.class.notifyAll();
    while (arrived / THREADS <= round) {
      try {
        Stress.class.wait();
      } catch (InterruptedException error) {
        throw new IllegalStateException(error);
      }
    }
  }

  private static int caught(int number) {
    try {
      Object[] few = new Object[number % 4];
      few[2] = number;
      return ((Integer) few[2]) / (number % 3);
    } catch (ArrayIndexOutOfBoundsException | ArithmeticException error) {
      return 1;
    }
  }

  private static int deeper(int depth) {
    return deeper(depth + 1) + 1;
  }
}
