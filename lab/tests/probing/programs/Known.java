/** Executes bytecodes whose numbers are known, in several threads: daload, dmul and iaload. */
final class Known {
  private static final int LENGTH = 1_000;

  public static void main(String[] arguments) throws InterruptedException {
    int times = Integer.parseInt(arguments[0]);
    Thread[] threads = new Thread[2];
    for (int at = 0; at < threads.length; at++) {
      threads[at] = new Thread(() -> System.out.println(work(times)));
    }
    for (Thread thread : threads) {
      thread.start();
      thread.join();
    }
    System.out.println(System.getenv("JAVA_TOOL_OPTIONS") + " " + System.getProperty("given"));
  }

  /** A million and more: `times` * LENGTH of each of daload, dmul and iaload. */
  private static double work(int times) {
    double[] numbers = new double[LENGTH];
    int[] others = new int[LENGTH];
    double product = 1;
    for (int round = 0; round < times; round++) {
      for (int at = 0; at < LENGTH; at++) {
        product = numbers[at] * others[at];
      }
    }
    return product;
  }
}
