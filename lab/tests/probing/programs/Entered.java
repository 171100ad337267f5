import java.util.Scanner;
import java.util.concurrent.SynchronousQueue;

/**
 * Works when a line of input says how much, in a thread that runs already and in a new one, and says
 * when it is done.
 */
final class Entered {
  private static final int LENGTH = 1_000;
  private static final SynchronousQueue<Integer> QUEUE = new SynchronousQueue<>();

  public static void main(String[] arguments) throws InterruptedException {
    Thread running = new Thread(Entered::serve);
    running.setDaemon(true);
    running.start();
    System.out.println("ready");
    Scanner input = new Scanner(System.in);
    while (input.hasNextInt()) {
      int times = input.nextInt();
      QUEUE.put(times);
      QUEUE.put(0);
      Thread added = new Thread(() -> work(times));
      added.start();
      added.join();
      System.out.println(work(times));
    }
  }

  private static void serve() {
    try {
      while (true) {
        work(QUEUE.take());
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  /** Executes `times` * LENGTH of each of daload and drem. */
  private static double work(int times) {
    double[] numbers = new double[LENGTH];
    double sum = 0;
    for (int round = 0; round < times; round++) {
      for (int at = 0; at < LENGTH; at++) {
        sum += numbers[at] % 3.0;
      }
    }
    return sum;
  }
}
