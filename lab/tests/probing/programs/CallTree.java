import java.util.concurrent.Semaphore;

/** The same work under recursion, in a handler, in a thread, and in a method called by name. */
final class CallTree {
  private static final int ROUNDS = 150;
  private static final int STEPS = 20_000;
  private static final Semaphore BEGINS = new Semaphore(0);
  private static final Semaphore ENDED = new Semaphore(0);
  private static volatile long result;

  public static void main(String[] arguments) throws Exception {
    Thread thread = new Thread(CallTree::threaded);
    thread.start();
    for (int round = 0; round < ROUNDS; round++) {
      // The thread works meanwhile: if the processor is slower for a while, it is so for all paths.
      BEGINS.release();
      ENDED.acquireUninterruptibly();
      recursive(3);
      handling();
      reflected();
      deep(100);
    }
    thread.join();
  }

  static void work() {
    long total = 0;
    for (int step = 0; step < STEPS; step++) total += (long) step * step;
    result = total;
  }

  static void recursive(int depth) {
    if (depth == 0) work();
    else recursive(depth - 1);
  }

  static void deep(int depth) {
    if (depth == 0) work();
    else deep(depth - 1);
  }

  static void handling() {
    try {
      failing();
    } catch (IllegalStateException expected) {
      work();
    }
  }

  static void failing() {
    throw new IllegalStateException();
  }

  static void reflected() throws Exception {
    CallTree.class.getDeclaredMethod("called").invoke(null);
  }

  static void called() {
    work();
  }

  static void threaded() {
    for (int round = 0; round < ROUNDS; round++) {
      BEGINS.acquireUninterruptibly();
      work();
      ENDED.release();
    }
  }
}
