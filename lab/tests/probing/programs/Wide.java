/** Spends its time in wide bytecodes: each addition of 1000 to a local variable is one. */
final class Wide {
  public static void main(String[] arguments) {
    System.out.println(added(10_000_000));
  }

  private static int added(int times) {
    int sum = 0;
    for (int at = 0; at < times; at++) {
      sum += 1000;
      sum += 1000;
      sum += 1000;
      sum += 1000;
      sum += 1000;
      sum += 1000;
      sum += 1000;
      sum += 1000;
    }
    return sum;
  }
}
