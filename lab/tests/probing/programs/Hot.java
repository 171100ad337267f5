/** Spends its time in one line; and, with an argument, in one call of native code. */
final class Hot {
  public static void main(String[] arguments) {
    System.out.println(arguments.length == 0 ? loop(20_000_000) : copies(400));
  }

  private static long loop(int times) {
    long sum = 1;
    for (int at = 1; at < times; at++) sum += (sum ^ at) % at; // hot
    return sum;
  }

  private static int copies(int times) {
    byte[] from = new byte[4 << 20];
    byte[] into = new byte[from.length];
    for (int at = 0; at < times; at++) {
      System.arraycopy(from, 0, into, 0, from.length); // native
    }
    return into.length;
  }
}
